/* SPDX-License-Identifier: MIT */
/*
 * timers.c - PIT, time base, TSR and TCR (PPC405 User's Manual, 10).
 *
 * On QEMU's board TSR[ENW] must be written together with TSR[PIS] to clear the interrupt; on the real chip this clears
 * a watchdog bit that is not set. The board's FIT never fires and its watchdog is wrong; for these the lines follow the
 * manual, and the list of differences has what the board prints.
 */
#include "instructions.h"

#define CLEAR_PIT (TSR_ENW | TSR_PIS)
#define SHORT     20000u   /* ticks: 60 us */
#define LONG      3000000u /* 9 ms: enough for anything short, even with a neighbour's window in between */

static volatile u32 taken;

static void count(struct frame *f)
{
    taken++;
    mtspr(SPR_TSR, f->vector == VEC_PIT ? CLEAR_PIT : TSR_FIS);
}

static void count_watchdog(struct frame *f)
{
    taken++;
    mtspr(SPR_TSR, TSR_WIS);
    f->msr &= ~MSR_CE;
}

static void stop(void)
{
    mtmsr(0);
    mtspr(SPR_TCR, 0);
    mtspr(SPR_PIT, 0);
    mtspr(SPR_TSR, ~0u);
    taken = 0;
}

static void test_pit(void)
{
    stop();
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, 100 * LONG);
    u32 early = mfspr(SPR_PIT), later = mfspr(SPR_PIT);
    print("T PIT counts: %s\n", early <= 100 * LONG && later < early && later > 0 ? "yes" : "no");

    stop();
    mtspr(SPR_PIT, SHORT);
    wait_ticks(LONG);
    print("T PIT one shot, no PIE: PIT is %s PIS=%08x\n", mfspr(SPR_PIT) ? "not 0" : "0", mfspr(SPR_TSR) & TSR_PIS);

    stop();
    mtspr(SPR_TCR, TCR_PIE);
    print("T TCR: %08x\n", mfspr(SPR_TCR));
    mtspr(SPR_PIT, SHORT);
    wait_ticks(LONG);
    print("T PIT one shot, EE 0: PIT is %s TSR=%08x taken=%u\n", mfspr(SPR_PIT) ? "not 0" : "0",
          mfspr(SPR_TSR) & TSR_PIS, taken);
    mtmsr(MSR_EE);
    wait_ticks(SHORT);
    mtmsr(0);
    print("T PIT one shot, EE 1: taken=%u TSR=%08x\n", taken, mfspr(SPR_TSR) & TSR_PIS);
    mtmsr(MSR_EE);
    wait_ticks(LONG);
    mtmsr(0);
    print("T PIT one shot: taken=%u in all\n", taken);

    stop();
    mtspr(SPR_TCR, TCR_PIE | TCR_ARE);
    mtspr(SPR_PIT, SHORT);
    mtmsr(MSR_EE);
    for (u32 start = ticks(); taken < 10 && ticks() - start < 100 * LONG;)
        ;
    mtmsr(0);
    print("T PIT reload: ten taken %s\n", taken >= 10 ? "yes" : "no");

    stop();
    mtspr(SPR_TCR, TCR_PIE | TCR_ARE);
    mtspr(SPR_PIT, 100 * LONG);
    mtspr(SPR_PIT, 0);
    mtmsr(MSR_EE);
    wait_ticks(LONG);
    mtmsr(0);
    print("T PIT 0 stops: taken=%u\n", taken);

    /* the reload value is the last one written; its period by the time base, within a tenth */
    stop();
    mtspr(SPR_TCR, TCR_PIE | TCR_ARE);
    mtspr(SPR_PIT, LONG);
    u32 start = ticks();
    mtmsr(MSR_EE);
    while (taken < 5 && ticks() - start < 100 * LONG)
        ;
    mtmsr(0);
    u32 took = ticks() - start;
    print("T PIT reload period: %s\n", took >= 5 * LONG - LONG / 2 ? "not too short" : "too short");

    /* a status bit stays until it is cleared, and clearing one bit keeps the others */
    stop();
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, SHORT);
    wait_ticks(LONG);
    mtspr(SPR_TSR, TSR_FIS);
    print("T TSR clear other: PIS=%08x\n", mfspr(SPR_TSR) & TSR_PIS);
    mtspr(SPR_TSR, CLEAR_PIT);
    print("T TSR clear: PIS=%08x\n", mfspr(SPR_TSR) & TSR_PIS);
    stop();
}

/* A pending interrupt comes right after the instruction that sets EE, whichever it is. */
static void test_exactly(void)
{
    static const struct {
        const char *name;
        u32 r3, words[4];
    } way[] = {
        { "wrteei", 0, { 0x7c008146, 0x39000001, 0x39200001 } },     /* wrteei 1; li r8; li r9 */
        { "wrtee", MSR_EE, { 0x7c600106, 0x39000001, 0x39200001 } }, /* wrtee r3 */
        { "mtmsr", MSR_EE, { 0x7c600124, 0x39000001, 0x39200001 } }, /* mtmsr r3 */
        { "mtmsr PR", MSR_EE | MSR_PR, { 0x7c600124, 0x39000001, 0x39200001 } },
        { "rfi", MSR_EE, { 0x7c7b03a6, 0x7cda03a6, 0x4c000064, 0x39000001 } }, /* mtsrr1 r3; mtsrr0 r6; rfi */
        { "rfi PR", MSR_EE | MSR_PR, { 0x7c7b03a6, 0x7cda03a6, 0x4c000064, 0x39000001 } },
        { "rfci", MSR_EE, { 0x7c7ff3a6, 0x7cdef3a6, 0x4c000066, 0x39000001 } }, /* SRR3, SRR2, rfci */
    };
    for (u32 i = 0; i < ARRAY_SIZE(way); i++) {
        stop();
        mtspr(SPR_TCR, TCR_PIE);
        mtspr(SPR_PIT, SHORT);
        wait_ticks(LONG);
        struct frame f;
        fresh_frame(&f, 0);
        f.gpr[3] = way[i].r3;
        put_code(way[i].words, ARRAY_SIZE(way[i].words));
        run_and_print(&f, "PIT pending", way[i].name);
    }
    stop();
    /* and at the first instruction when EE is set from the start */
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, SHORT);
    wait_ticks(LONG);
    struct frame f;
    fresh_frame(&f, MSR_EE | MSR_PR);
    put_code((const u32[]){ 0x39000001 }, 1);
    run_and_print(&f, "PIT pending", "problem mode from the start");
    stop();
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, SHORT);
    fresh_frame(&f, MSR_EE | MSR_PR);
    put_code((const u32[]){ 0x48000000 }, 1); /* b . */
    run_and_print(&f, "PIT", "stops a loop in problem mode");
    stop();
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, SHORT);
    fresh_frame(&f, 0);
    f.gpr[3] = MSR_EE | MSR_WE;
    put_code((const u32[]){ 0x7c600124, 0x4c00012c, 0x39000001 }, 3); /* mtmsr r3; isync */
    run_and_print(&f, "PIT", "ends the wait state");
    stop();
}

/* Must be the last test, because QEMU keeps an untaken watchdog interrupt until CE is set the next time. */
void test_other_timers(void)
{
    on_exception(VEC_FIT, count);
    on_exception(VEC_WDT, count_watchdog);
    stop();
    mtspr(SPR_TCR, TCR_FIE); /* period 2^9 ticks */
    mtmsr(MSR_EE);
    for (u32 start = ticks(); taken < 3 && ticks() - start < 4 * LONG;)
        ;
    mtmsr(0);
    print("T FIT three taken: %s\n", taken >= 3 ? "yes" : "no");
    stop();
    mtspr(SPR_TCR, 0);
    wait_ticks(LONG);
    print("T FIT status without FIE: %08x\n", mfspr(SPR_TSR) & TSR_FIS);
    stop();
    mtspr(SPR_TCR, TCR_WIE); /* 2^17 ticks; no reset */
    mtmsr(MSR_CE);
    for (u32 start = ticks(); taken < 1 && ticks() - start < 4 * LONG;)
        ;
    mtmsr(0);
    print("T watchdog taken: %u ENW=%08x\n", taken, mfspr(SPR_TSR) & TSR_ENW);
    stop();
    /* ENW set and WIS set by two periods; no reset was asked for */
    wait_ticks(LONG);
    print("T watchdog status: %08x\n", mfspr(SPR_TSR) & (TSR_ENW | TSR_WIS));
    stop();
}

static void test_time_base(void)
{
    u32 a = ticks(), b = ticks();
    print("T TB runs: %s\n", b - a < LONG ? "yes" : "no");
    u32 high, low, again;
    do {
        __asm__ volatile("mftbu %0; mftb %1; mftbu %2" : "=r"(high), "=r"(low), "=r"(again));
    } while (high != again);
    print("T TB upper: %s\n", high < 0x1000 ? "small" : "large");
}

void test_timers(void)
{
    on_exception(VEC_PIT, count);
    test_pit();
    test_exactly();
    test_time_base();
    stop();
}
