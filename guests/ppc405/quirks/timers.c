/* SPDX-License-Identifier: MIT */
/* timers.c - the timers, polled with interrupts off, or taken once. */
#include "quirks.h"

#define LONG 3333333u /* ticks: 10 ms */

/* Returns the vector of the interrupt that comes as soon as MSR[EE] allows it, or VEC_SC. */
static u32 interrupt(void) { return one(0x60000000u /* nop */, MSR_EE, 0).vector; }

static void stop(void)
{
    mtspr(SPR_PIT, 0);
    mtspr(SPR_TCR, 0);
    mtspr(SPR_TSR, ~0u);
}

/* The interrupt request is a separate latch, which is cleared with TSR[ENW], not with TSR[PIS]. */
static void pit_acknowledge(void)
{
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, 1000);
    wait_ticks(LONG);
    bool set = mfspr(SPR_TSR) & TSR_PIS;
    mtspr(SPR_TSR, TSR_PIS);
    bool still = interrupt() == VEC_PIT;
    stop();
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, 1000);
    wait_ticks(LONG);
    mtspr(SPR_TSR, TSR_PIS | TSR_ENW);
    quirk("pit-acknowledge", set && still && interrupt() == VEC_SC);
    stop();
}

/* Writing 1 should be a period of one tick; on the board it stops the timer, as 0 does. */
static void pit_one(void)
{
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, 1);
    wait_ticks(LONG);
    bool never = !(mfspr(SPR_TSR) & TSR_PIS);
    mtspr(SPR_PIT, 2);
    wait_ticks(LONG);
    quirk("pit-one", never && mfspr(SPR_TSR) & TSR_PIS);
    stop();
}

/* By the manual the status is set also without TCR[PIE]. */
static void pit_status(void)
{
    mtspr(SPR_PIT, 1000);
    wait_ticks(LONG);
    quirk("pit-status", !(mfspr(SPR_TSR) & TSR_PIS));
    stop();
}

/* rfi should enter the wait state; on the board the next instruction runs, and reads the bit as clear. */
static void rfi_wait(void)
{
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, 10 * LONG);
    struct frame f = one(0x7c6000a6u /* mfmsr r3 */, MSR_EE | MSR_WE, 0);
    quirk("rfi-wait", f.vector == VEC_SC && !(f.gpr[3] & MSR_WE));
    stop();
}

/* By the manual the FIT's period 0 is 512 ticks. */
static void fit(void)
{
    mtspr(SPR_TCR, TCR_FIE);
    wait_ticks(LONG);
    quirk("fit", !(mfspr(SPR_TSR) & TSR_FIS));
    stop();
}

/* By the manual the interrupt of the watchdog's second event is critical; the board raises it as a non-critical one. */
static void watchdog(void)
{
    mtspr(SPR_TCR, TCR_WIE);
    for (u32 n = 0; n < 20 && !(mfspr(SPR_TSR) & TSR_WIS); n++)
        wait_ticks(LONG);
    bool ran = mfspr(SPR_TSR) & TSR_WIS, critical = one(0x60000000u, MSR_CE, 0).vector == VEC_WDT;
    quirk("watchdog", !ran || (!critical && interrupt() == VEC_WDT));
    stop();
}

void timer_quirks(void)
{
    stop();
    pit_acknowledge();
    pit_one();
    pit_status();
    rfi_wait();
    fit();
    watchdog();
}
