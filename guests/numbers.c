/* SPDX-License-Identifier: MIT */
/*
 * numbers - a member of a ring of tunnels in which numbered messages go round while members die (numbers.h). It has two
 * tunnels; side0= and side1= are its halves of them. Typed letters: k dies by a triple fault, r resets the machine, h
 * does nothing any more; K and H order the same (k, h) of the member at the end of tunnel 0, X and Y at that of
 * tunnel 1. Two lines every 200 ms say how far it is; one with WRONG says what must not be.
 */
#include <guest.h>
#include <amalgam_calls.h>
#include <numbers.h>

#define COM1   0x3f8
#define TIMER  0x40
#define RING   0x61
#define IOAPIC 0xfec00000u
#define ENDS   2

static struct numbers ends[ENDS];
static uint64_t sent_at[ENDS];

static void on_interrupt(struct trap_frame *f)
{
    (void)f;
    apic_eoi();
}

static void route(uint32_t gsi)
{
    mmio_write(IOAPIC, 0x11 + 2 * gsi);
    mmio_write(IOAPIC + 0x10, apic_id() << 24);
    mmio_write(IOAPIC, 0x10 + 2 * gsi);
    mmio_write(IOAPIC + 0x10, RING);
}

static void triple_fault(void)
{
    static const struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) none = { 0, 0 };
    __asm__ volatile("lidt %0; ud2" : : "m"(none));
}

static void obey(char what)
{
    switch (what) {
    case 'k': triple_fault(); break;
    case 'r': machine_reset();
    case 'h':
        __asm__ volatile("cli");
        for (;;)
            __asm__ volatile("hlt");
    case 'K': numbers_order(&ends[0], 'k'); break;
    case 'H': numbers_order(&ends[0], 'h'); break;
    case 'X': numbers_order(&ends[1], 'k'); break;
    case 'Y': numbers_order(&ends[1], 'h'); break;
    }
}

static void work(unsigned i)
{
    struct numbers *n = &ends[i];
    bool told = numbers_take(n), late = rdtsc() - sent_at[i] > us_to_tsc(50000);
    if (numbers_send(n, late)) {
        sent_at[i] = rdtsc();
        told = true;
    }
    if (told)
        amalgam_tunnel_notify(i); /* a peer that does not run is not told */
    if (n->wrong) {
        print("numbers: WRONG at tunnel %d: %s (life %u number %u of life %u)\n", i, n->wrong, n->life, n->last,
              n->from);
        power_off();
    }
    obey(numbers_ordered(n));
}

static void say(void)
{
    for (unsigned i = 0; i < ENDS; i++)
        print("numbers: tunnel %u: life %u sent %u dropped %u; taken %u missing %u, last %u of life %u\n", i,
              ends[i].life, ends[i].number, ends[i].dropped, ends[i].taken, ends[i].missing, ends[i].last,
              ends[i].from);
}

void guest_main(void)
{
    apic_enable();
    trap_install(TIMER, on_interrupt);
    trap_install(RING, on_interrupt);
    apic_timer_setup(TIMER);
    for (unsigned i = 0; i < ENDS; i++) {
        int64_t gpa = amalgam_tunnel_info(i, AMALGAM_TUNNEL_INFO_GPA),
                gsi = amalgam_tunnel_info(i, AMALGAM_TUNNEL_INFO_GSI);
        if (gpa < 0 || gsi < 0) {
            print("numbers: no tunnel %u here\n", i);
            return;
        }
        numbers_begin(&ends[i], (void *)gpa, arg_number(i ? "side1" : "side0", 0));
        route((uint32_t)gsi);
    }
    for (uint64_t said = 0;;) {
        for (unsigned i = 0; i < ENDS; i++)
            work(i);
        if (inb(COM1 + 5) & 1)
            obey((char)inb(COM1));
        if (rdtsc() - said > us_to_tsc(200000)) {
            say();
            said = rdtsc();
        }
        apic_timer_at(rdtsc() + us_to_tsc(4000));
        wait_irq();
    }
}
