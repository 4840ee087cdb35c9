/* SPDX-License-Identifier: MIT */
/*
 * interrupts.c - interprocessor interrupts with every mode and destination; interrupt controllers, timers and the
 * serial port programmed at random. Interrupts are taken in between.
 */
#include "hostile.h"

#define IOAPIC  0xfec00000ul
#define ENDLESS 12 /* mask everything after so many interrupts of a level that is never lowered */

static unsigned taken;

/* Handle an interrupt; in most cases with an EOI. */
static void on_interrupt(struct trap_frame *f)
{
    if (++taken % 8)
        apic_eoi();
    if (taken > ENDLESS)
        f->rflags &= ~(uint64_t)FLAGS_IF;
}

/* Prepare real mode for another processor: all its interrupt vectors lead to an IRET, and its first code sleeps. */
void irq_setup(void)
{
    static const uint8_t sleep[] = { 0xfb, 0xf4, 0xeb, 0xfc }; /* sti; hlt; jmp -4 */
    memcpy((void *)0x8000, sleep, sizeof(sleep));
    *(volatile uint8_t *)0x8010 = 0xcf;
    for (volatile uint32_t *vector = (uint32_t *)8; vector < (uint32_t *)1024; vector++)
        *vector = 0x8010;
    for (unsigned v = 32; v < 256; v++)
        trap_install(v, on_interrupt);
}

static void open_up(void)
{
    bool cr8 = one_in(4); /* raise the priority for a while, so that interrupts stay pending */
    taken = 0;
    if (cr8)
        __asm__ volatile("mov %0, %%cr8" : : "r"(below(16)));
    irq_on();
    if (cr8)
        __asm__ volatile("mov %0, %%cr8" : : "r"(0ul));
    for (unsigned i = 0; i < 8; i++)
        cpu_relax();
    irq_off();
    for (unsigned i = 0; i < 4; i++)
        apic_eoi();
}

static void do_ipi(void *low)
{
    apic_ipi(one_in(2) ? below(4) : odd_number(), (uintptr_t)low);
    open_up();
}

/* INIT to itself, or STARTUP at an address without code, would end the guest: these only if deadly. */
int step_ipi(void)
{
    uint32_t low = rnd() & 0xcffff, mode = low >> 8 & 7;
    if (mode == 5 && !deadly())
        low = (low & ~0xc0000u) | 3u << 18; /* all but self */
    if (mode == 6)
        low = (low & ~0xffu) | 8;
    return guarded(do_ipi, (void *)(uintptr_t)low);
}

static void ioapic(unsigned reg, uint32_t value)
{
    mmio_write(IOAPIC, reg);
    mmio_write(IOAPIC + 0x10, value);
}

static void route(void)
{
    static const uint8_t inputs[] = { 2, 3, 4, 8, 9, 16, 17, 18, 19 };
    unsigned input = one_in(4) ? below(64) : inputs[below(sizeof(inputs))], mode = below(8);
    ioapic(0x10 + 2 * input + 1, one_in(2) ? 0 : rnd());
    ioapic(0x10 + 2 * input, (rnd() & 0x1f8ff) | (mode == 5 ? 0 : mode) << 8);
}

static void do_irq(void *unused)
{
    static const uint16_t lvt[] = { 0x320, 0x330, 0x340, 0x350, 0x360, 0x370 };
    (void)unused;
    switch (below(8)) {
    case 0:
        outb(0x43, rnd());
        outb(0x40 + below(3), rnd());
        break;
    case 1: /* a rate of 1.19 MHz, if the hypervisor allowed it */
        outb(0x43, 0x34);
        outb(0x40, 1);
        outb(0x40, 0);
        break;
    case 2:
        outb(0x70, one_in(2) ? 0xa : 0xb);
        outb(0x71, rnd());
        outb(0x70, 0xc);
        inb(0x71);
        break;
    case 3: /* COM2, so that COM1 still prints; interrupts on, loopback, errors */
        outb(0x2f8 + below(8), rnd());
        outb(0x2f8, rnd());
        break;
    case 4:
        apic_write(0x3e0, rnd());
        apic_write(0x320, (rnd() & 0x2ffff));
        apic_write(0x380, one_in(2) ? 1 : odd_number());
        break;
    case 5: /* a deadline in the past */
        apic_write(0x320, 0x40000 | (32 + below(224)));
        wrmsr(MSR_TSC_DEADLINE, one_in(2) ? 1 : odd_number());
        break;
    case 6:
        outb(below(2) ? 0x20 + below(2) : 0xa0 + below(2), rnd());
        outb(0x4d0 + below(2), rnd());
        break;
    default: apic_write(lvt[below(6)], rnd() & ~0x700u); apic_write(0x80, one_in(4) ? rnd() & 0xff : 0);
    }
    route();
    open_up();
}

int step_irq(void)
{
    int fault = guarded(do_irq, NULL);
    irq_off();
    return fault;
}
