/* SPDX-License-Identifier: MIT */
/* calls.c - each call of a guest in ring 1 as it should be made, and each argument as it should not. */
#include "ring1.h"

#define NOWHERE 0x70000000u /* not mapped */
#define LONG    100000000u  /* ticks */
#define SOON    200000u

static unsigned right, wrong;
static volatile unsigned taken, faults;
static uint64_t descriptors[3] = { 0x00cff3000000ffffull, 0x00cf93000000ffffull, 0 };

static void expect(const char *what, long got, long wanted)
{
    if (got == wanted) {
        right++;
        return;
    }
    wrong++;
    print("calls: %s: %x, not %x\n", what, (uint32_t)got, (uint32_t)wanted);
}

static void handler(struct trap *t)
{
    if (t->vector == 0x30)
        taken++;
    else if (t->vector == 14)
        *ring1_entry(AMALGAM_SHARED(AMALGAM_SHARE_CR2)) |= 1, faults++;
    else
        print("calls: trap %u error %x at %x\n", t->vector, t->error, t->eip), wrong++, ring1_off();
}

static void flag(bool on)
{
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = on ? 0x200 : 0;
    if (on && AMALGAM_SHARED(AMALGAM_SHARE_PENDING))
        amalgam_events();
}

static void timers(void)
{
    expect("timer: too many", amalgam_timer(0x80000000), -ERANGE);
    expect("timer", amalgam_timer(SOON), 0);
    expect("idle", amalgam_idle(), 0);
    expect("idle: interrupts", (long)taken, 1);
    flag(false);
    expect("timer: with interrupts off", amalgam_timer(1), 0);
    while (!AMALGAM_SHARED(AMALGAM_SHARE_PENDING))
        ;
    expect("none is taken", (long)taken, 1);
    AMALGAM_SHARED(AMALGAM_SHARE_MASK) = 1;
    flag(true);
    amalgam_events();
    expect("none that is masked", (long)taken, 1);
    AMALGAM_SHARED(AMALGAM_SHARE_MASK) = 0;
    expect("events", amalgam_events(), 0);
    expect("it comes", (long)taken, 2);
    amalgam_timer(LONG);
    expect("timer: none", amalgam_timer(0), 0);
    uint32_t before = taken;
    for (volatile unsigned i = 0; i < 3000000; i++)
        ;
    expect("one that was forgotten", (long)taken, (long)before);
}

static void spaces(void)
{
    volatile uint32_t *page = (uint32_t *)(USER_END + 0x10000);
    *page = 1;
    *ring1_entry((uint32_t)page) &= ~1u;
    expect("invlpg: pages", amalgam_invlpg((uint32_t)page, 65), -ERANGE);
    *page = 2; /* the processor may know it still */
    expect("nothing was forgotten", (long)faults, 0);
    expect("invlpg", amalgam_invlpg((uint32_t)page, 1), 0);
    *page = 3;
    expect("a page that was forgotten", (long)faults, 1);
    *ring1_entry((uint32_t)page) &= ~1u;
    expect("load_cr3", amalgam_load_cr3(AMALGAM_SHARED(AMALGAM_SHARE_CR3), 0, 0), 0);
    *page = 4;
    expect("all were", (long)faults, 2);
    expect("its value", (long)*page, 4);
}

static void texts(void)
{
    static char text[300] = "calls: text\n";
    expect("console_write: n", amalgam_console_write((uint32_t)text, 257), -ERANGE);
    expect("console_write: nowhere", amalgam_console_write(NOWHERE, 1), -EFAULT);
    expect("console_write: into nowhere", amalgam_console_write((8u << 20) - 4, 8), -EFAULT);
    expect("console_write: nothing", amalgam_console_write(NOWHERE, 0), 0);
    expect("console_write", amalgam_console_write((uint32_t)text, 12), 12);
    expect("console_read", amalgam_console_read(), -EAGAIN);
}

static void descriptor_calls(void)
{
    uint32_t gs = 0x33, after = 1;
    expect("tls: nowhere", amalgam_tls(NOWHERE), -EFAULT);
    expect("tls", amalgam_tls((uint32_t)descriptors), 0);
    __asm__ volatile("mov %1, %%gs; mov %%gs, %0" : "=r"(after) : "r"(gs));
    expect("tls: the first", (long)(after & 0xffff), 0x33);
    descriptors[0] = 0;
    amalgam_tls((uint32_t)descriptors);
    __asm__ volatile("mov %%gs, %0" : "=r"(after));
    expect("tls: gone", (long)(after & 0xffff), 0);
}

static void others(void)
{
    expect("no call", amalgam_call(AMALGAM_OFF + 1, 0, 0, 0), -ENOSYS);
    expect("chip_acquire: it joins nobody", amalgam_chip_acquire(), -ENOSYS);
    expect("chip_release: it joins nobody", amalgam_chip_release(), -ENOSYS);
    expect("no call at all", amalgam_call(0, 0, 0, 0), -ENOSYS);
    expect("a call of all guests", amalgam_call(0x414d0000, 0, 0, 0), 0);
    expect("off: how", amalgam_off(2), -ERANGE);
    expect("khz", amalgam_khz() > 1000, 1);
}

/* A program may not call: INT is a general protection fault with the vector. */
static void program(void) { __asm__ volatile("int $0x82"); }

static void program_trap(struct trap *t) { ring1_back((int)(t->vector << 16 | t->error)); }

int main(void)
{
    ring1_tables();
    ring1_handler = handler;
    timers();
    spaces();
    texts();
    descriptor_calls();
    others();
    ring1_handler = program_trap;
    for (unsigned i = 0; i < 64; i++)
        ((uint8_t *)USER)[i] = ((uint8_t *)program)[i];
    expect("a program's call", ring1_program(USER, USER_END), 13 << 16 | (0x82 * 8 + 2));
    print("calls: %u right, %u wrong\n", right, wrong);
    return 0;
}
