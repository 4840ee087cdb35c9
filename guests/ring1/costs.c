/* SPDX-License-Identifier: MIT */
/*
 * costs.c - what the ways between a guest in ring 1 and the kernel cost, in ticks of the time stamp counter, which are
 * instructions under icount. A line each: `bench NAME LEAST MIDDLE SAMPLES`.
 */
#define SAMPLES 1000u
#include "measure.h"

#define WARM 4
#define SOON 20000u
#define GAP  60u /* ticks, more than a turn of the loop that is interrupted */

static volatile uint32_t taken_at;

#define MEASURE(name, action)                                                                                          \
    do {                                                                                                               \
        for (int i = -WARM; i < (int)SAMPLES; i++) {                                                                   \
            uint32_t begin = now();                                                                                    \
            action;                                                                                                    \
            uint32_t end = now();                                                                                      \
            if (i >= 0)                                                                                                \
                sample[i] = end - begin;                                                                               \
        }                                                                                                              \
        say(name, SAMPLES);                                                                                            \
    } while (0)

static void handler(struct trap *t)
{
    if (t->vector == 0x30) {
        taken_at = now();
    } else if (t->vector == 14) {
        *ring1_entry(AMALGAM_SHARED(AMALGAM_SHARE_CR2)) |= 1;
    } else {
        print("costs: trap %u error %x at %x\n", t->vector, t->error, t->eip);
        ring1_off();
    }
}

static void calls(void)
{
    MEASURE("hypercall", amalgam_events());
    MEASURE("cpuid", { __asm__ volatile("int %0" ::"i"(AMALGAM_CPUID), "a"(0) : "ebx", "ecx", "edx"); });
    MEASURE("trap", __asm__ volatile("mov %%cr2, %%eax" ::: "eax"));
    MEASURE("port", __asm__ volatile("inb $0x61, %%al" ::: "eax"));
    MEASURE("load-cr3", amalgam_load_cr3(AMALGAM_SHARED(AMALGAM_SHARE_CR3), 1, 1));
    MEASURE("yield", amalgam_call(YIELD, 0, 0, 0));
}

/* A page that the processor has not, though the guest's tables have it; and one that they have not. */
static void pages(void)
{
    volatile uint8_t *page = (uint8_t *)(USER_END + 0x10000);
    *page = 1;
    MEASURE("shadow-miss", {
        ring1_invalidate((uint32_t)page);
        begin = now();
        (void)*page;
    });
    MEASURE("shadow-miss-write", {
        ring1_invalidate((uint32_t)page);
        begin = now();
        *page = 1;
    });
    MEASURE("guest-fault", {
        *ring1_entry((uint32_t)page) &= ~1u;
        ring1_invalidate((uint32_t)page);
        begin = now();
        *page = 1;
    });
}

/* The counter is read without a pause; the step with an interrupt in it is a long one. */
static void interrupts(void)
{
    static uint32_t to[SAMPLES];
    unsigned n = 0;
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0x200;
    while (n < SAMPLES) {
        taken_at = 0;
        amalgam_timer(SOON + (n & 15));
        uint32_t before = now(), after = now();
        for (; !taken_at || after - before < GAP; after = now())
            if (after - before < GAP)
                before = after;
        to[n] = taken_at - before;
        sample[n++] = after - before;
    }
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0;
    say("interrupt", n);
    for (unsigned i = 0; i < n; i++)
        sample[i] = to[i];
    say("interrupt-to-handler", n);
}

int main(void)
{
    uint32_t begin = now();
    print("bench entry %u %u 1\n", begin, begin);
    ring1_tables();
    ring1_handler = handler;
    begin = now();
    overhead = now() - begin;
    calls();
    pages();
    interrupts();
    print("costs: done\n");
    return 0;
}
