/* SPDX-License-Identifier: MIT */
/*
 * main.c - runs the measured sequences `rounds` times, for a minimum and a maximum, in real mode. Interrupts are off
 * except where EE itself is measured. calls=1: hypercalls, too (for a guest that may make them)    page=1: the register
 * page, too measure: done rounds=64
 */
#include <guest.h>

void measure_all(void);   /* full.S */
void measure_calls(void); /* para.S */
void measure_page(void);
void measure_syscall(void);
void measure_spin(void);

static void run_until_exception(void (*code)(void), u32 msr)
{
    struct frame f = { .pc = (u32)code, .msr = msr };
    try(&f);
}

/* A periodic timer, as operating systems use it. */
static void interrupts(u32 rounds)
{
    mtspr(SPR_TCR, TCR_PIE | TCR_ARE);
    mtspr(SPR_PIT, 20000);
    for (u32 i = 0; i < rounds; i++) {
        run_until_exception(measure_syscall, MSR_PR);
        run_until_exception(measure_spin, MSR_EE);
        mtspr(SPR_TSR, TSR_PIS);
    }
    mtspr(SPR_TCR, 0);
    mtspr(SPR_PIT, 0);
}

void guest_main(void)
{
    u32 rounds = arg_number("rounds", 64), calls = arg_number("calls", 0), page = arg_number("page", 0);
    uic_init();
    for (u32 i = 0; i < rounds; i++) {
        measure_all();
        if (page)
            measure_page();
        if (calls)
            measure_calls();
    }
    interrupts(rounds);
    print("measure: done rounds=%u\n", rounds);
}
