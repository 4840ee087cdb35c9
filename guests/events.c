/* SPDX-License-Identifier: MIT */
/*
 * events - checks interrupts and other events, one case after another: NMIs, priorities, broadcast and logical
 * interrupts, the local timer's modes, the 8259 through LINT0, INIT and STARTUP of CPUs in each state. It needs two
 * CPUs and the legacy devices. xapic=1: uses the APIC's memory instead of x2APIC's MSRs. No interrupt may come before
 * the instruction after an STI, on which an idle loop's "sti; hlt" relies. events: nmi-self ok         events:
 * nmi-nested WRONG, 1 for 2
 */
#include <guest.h>
#include <amalgam_calls.h>

#define NMI       0x4400u
#define INIT      0x4500u
#define STARTUP   0x4608u
#define FIXED     0x4000u
#define LOGICAL   (1u << 11)
#define TPR       0x80
#define LDR       0xd0
#define LVT_TIMER 0x320
#define OTHERS    (3u << 18)
#define ALL       (2u << 18)

static volatile uint64_t nmis[2], got[2][256], counter, woken, sleepy;
static volatile unsigned depth, deepest, order[4], n_order, again, early;
static unsigned wrong;

/* Enable interrupts for two instructions, of which the first one is in the shadow of STI. */
__asm__(".text\n"
        "open_briefly: sti\n"
        "in_shadow:    nop\n"
        "              cli\n"
        "              ret");
void open_briefly(void);
extern const char in_shadow[];

static void check(const char *name, uint64_t is, uint64_t want)
{
    wrong += is != want;
    if (is == want)
        print("events: %s ok\n", name);
    else
        print("events: %s WRONG, %lu for %lu\n", name, is, want);
}

/* Wait, yielding in case both CPUs share a core. */
static void wait_us(uint64_t us)
{
    for (uint64_t end = rdtsc() + us_to_tsc(us); rdtsc() < end;)
        amalgam_yield();
}

static void await(volatile uint64_t *what, uint64_t value)
{
    for (uint64_t end = rdtsc() + us_to_tsc(10000000); *what < value && rdtsc() < end;)
        amalgam_yield();
}

/* The first NMI sends two more to this CPU. They must come as one, after the first one's IRET. */
static void on_nmi(struct trap_frame *f)
{
    (void)f;
    uint32_t id = apic_id();
    nmis[id]++;
    if (id)
        return;
    deepest = ++depth > deepest ? depth : deepest;
    for (; again; again--) {
        apic_ipi(0, NMI);
        wait_us(100);
    }
    depth--;
}

static void on_irq(struct trap_frame *f)
{
    got[apic_id()][f->vector]++;
    early += f->rip == (uintptr_t)in_shadow;
    if (n_order < 4)
        order[n_order++] = f->vector;
    apic_eoi();
}

static void on_pic(struct trap_frame *f)
{
    got[0][f->vector]++;
    outb(0x20, 0x20);
}

static void nmi(void)
{
    apic_ipi(0, NMI);
    await(&nmis[0], 1);
    check("nmi-self", nmis[0], 1);
    again = 2;
    apic_ipi(0, NMI);
    await(&nmis[0], 3);
    wait_us(1000);
    check("nmi-once-more", nmis[0], 3);
    check("nmi-not-nested", deepest, 1);
}

static void priorities(void)
{
    irq_on();
    apic_write(TPR, 0x60);
    apic_ipi(0, FIXED | 0x51);
    wait_us(200);
    check("tpr-holds", got[0][0x51], 0);
    apic_write(TPR, 0);
    wait_us(200);
    check("tpr-lets-go", got[0][0x51], 1);
    __asm__ volatile("mov %0, %%cr8" : : "r"(6ul));
    apic_ipi(0, FIXED | 0x51);
    wait_us(200);
    check("cr8-holds", got[0][0x51], 1);
    check("cr8-is-tpr", apic_read(TPR), 0x60);
    register uint64_t none __asm__("r9") = 0;
    __asm__ volatile("mov %0, %%cr8" : : "r"(none));
    wait_us(200);
    check("cr8-lets-go", got[0][0x51], 2);
    irq_off();
    n_order = 0;
    apic_ipi(0, FIXED | 0x41);
    apic_ipi(0, FIXED | 0x91);
    apic_ipi(0, FIXED | 0x61);
    irq_on();
    await(&got[0][0x41], 1);
    irq_off();
    check("order", order[0] << 16 | order[1] << 8 | order[2], 0x916141);
}

static void timer(void)
{
    apic_write(0x3e0, 0xb);
    apic_write(LVT_TIMER, 0x71);
    apic_write(0x380, 1000000);
    irq_on();
    await(&got[0][0x71], 1);
    wait_us(5000);
    check("timer-once", got[0][0x71], 1);
    apic_write(LVT_TIMER, 0x72 | 1u << 17);
    apic_write(0x380, 2000000);
    for (unsigned i = 1; i <= 3; i++)
        await(&got[0][0x72], i);
    irq_off();
    apic_write(0x380, 0);
    check("timer-periodic", got[0][0x72] >= 3, 1);
    uint64_t so_far = got[0][0x72];
    irq_on();
    wait_us(10000);
    irq_off();
    check("timer-stops", got[0][0x72] <= so_far + 1, 1);
}

/* Many interrupts of the board, each of which may stop the guest right after its STI, while one of the guest's own is
 * pending. */
static void shadow(void)
{
    apic_write(LVT_TIMER, 0x73 | 1u << 17);
    apic_write(0x380, 100000);
    for (uint64_t end = rdtsc() + us_to_tsc(5000000); got[0][0x73] < 500 && rdtsc() < end;)
        open_briefly();
    apic_write(0x380, 0);
    irq_on();
    irq_off();
    check("sti-opens", got[0][0x73] >= 100, 1);
    check("sti-shadow", early, 0);
}

static void pic(void)
{
    static const uint8_t setup[][2] = {
        { 0x20, 0x11 }, { 0x21, 0xa0 }, { 0x21, 4 },    { 0x21, 1 },
        { 0x21, 0xfe }, { 0x43, 0x34 }, { 0x40, 0xa9 }, { 0x40, 0x04 }
    }; /* vector 0xa0; 1 kHz */
    for (unsigned i = 0; i < sizeof(setup) / 2; i++)
        outb(setup[i][0], setup[i][1]);
    apic_write(0x350, 0x700); /* LINT0: from the 8259 */
    for (unsigned i = 0; i < 3; i++) {
        uint64_t before = got[0][0xa0];
        while (got[0][0xa0] == before)
            wait_irq();
    }
    outb(0x21, 0xff);
    check("pic", got[0][0xa0] >= 3, 1);
}

/* --- the other CPU ---------------------------------------------------------------------------- */

static void count(void)
{
    for (;;)
        counter++;
}

static void sleep(void)
{
    for (;;)
        wait_irq();
}

/* With interrupts off only an NMI ends this HLT. */
static void deaf(void)
{
    for (;;) {
        sleepy = 1;
        __asm__ volatile("cli; hlt" : : : "memory");
        woken++;
    }
}

/* Returns whether the other CPU runs. Waits, because the board's cores may lag behind each other. */
static bool runs(uint64_t us)
{
    uint64_t before = counter;
    for (uint64_t end = rdtsc() + us_to_tsc(us); counter == before && rdtsc() < end;)
        amalgam_yield();
    return counter != before;
}

static bool goes(void) { return runs(10000000); }

/* Returns whether the other CPU stands still. A last step may still come, if the host stopped its core in the middle.
 */
static bool stands(void)
{
    for (unsigned tries = 0; tries < 10; tries++)
        if (!runs(300000))
            return true;
    return false;
}

static void messages(void)
{
    check("start", smp_start(1, sleep), 1);
    irq_on();
    apic_ipi(1, FIXED | 0x81);
    await(&got[1][0x81], 1);
    apic_ipi(0, OTHERS | FIXED | 0x82);
    await(&got[1][0x82], 1);
    check("others", got[1][0x82] << 8 | got[0][0x82], 0x100);
    apic_ipi(0, ALL | FIXED | 0x83);
    await(&got[1][0x83], 1);
    await(&got[0][0x83], 1);
    check("all", got[1][0x83] << 8 | got[0][0x83], 0x101);
    if (!apic_is_x2())
        apic_write(LDR, 1u << 24);
    apic_ipi(1, LOGICAL | FIXED | 0x84); /* 1 is the bit of CPU 0 in the mask */
    await(&got[0][0x84], 1);
    wait_us(200);
    check("logical", got[1][0x84] << 8 | got[0][0x84], 1);
    irq_off();
}

static void starts(void)
{
    apic_ipi(1, INIT); /* of a CPU that sleeps */
    check("init-halted", smp_start(1, count) && goes(), 1);
    apic_ipi(1, STARTUP);
    check("startup-running", goes(), 1);
    apic_ipi(1, INIT);
    wait_us(100000);
    check("init-stops", stands(), 1);
    apic_ipi(1, NMI); /* must not start a CPU that waits for its STARTUP */
    wait_us(2000);
    check("nmi-waiting", runs(300000) + nmis[1], 0);
    check("start-again", smp_start(1, deaf), 1);
    await(&sleepy, 1);
    wait_us(50000);
    uint64_t before = woken, taken = nmis[1];
    apic_ipi(1, FIXED | 0x81);
    wait_us(20000);
    check("deaf", woken - before, 0);
    apic_ipi(1, NMI);
    await(&woken, before + 1);
    check("nmi-wakes", (woken - before) << 8 | (nmis[1] - taken), 0x101);
}

void guest_main(void)
{
    for (unsigned vector = 0x40; vector < 0xa0; vector++)
        trap_install(vector, on_irq);
    trap_install(0xa0, on_pic);
    trap_install(2, on_nmi);
    apic_enable();
    print("events: %s\n", apic_is_x2() ? "x2apic" : "xapic");
    nmi();
    priorities();
    timer();
    shadow();
    pic();
    messages();
    starts();
    print("events: done, %u wrong\n", wrong);
}
