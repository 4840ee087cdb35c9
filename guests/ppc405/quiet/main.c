/* SPDX-License-Identifier: MIT */
/*
 * quiet - a guest for kernels without a console. It uses timer interrupts and registers that trap, and writes its
 * results to memory, where the host reads them. `ticks=N`: it ends after so many of its timer (10 us each).
 */
#include <guest.h>

#define TICKS 20 /* if the command line has no other number */

static volatile struct {
    u32 mark[2];
    u32 interrupts, wrong;
    u32 begin, end;                              /* of its run, on the time base */
} left = { .mark = { 0x51554945, 0x54212121 } }; /* "QUIET!!!" */

static u32 last; /* tick, the timer stops there */

static void count(struct frame *f)
{
    (void)f;
    mtspr(SPR_TSR, TSR_PIS | TSR_ENW);
    if (++left.interrupts == last)
        mtspr(SPR_TCR, 0);
}

static void expect(u32 found, u32 wanted) { left.wrong += found != wanted; }

void guest_main(void)
{
    u32 page = arg_number("touch", 0);

    last = arg_number("ticks", TICKS);
    left.begin = ticks();

    on_exception(VEC_PIT, count);
    mtspr(SPR_TCR, TCR_PIE | TCR_ARE);
    mtspr(SPR_PIT, 3333);
    mtmsr(mfmsr() | MSR_EE);
    for (u32 i = 0; left.interrupts < last; i++) {
        mtspr(SPR_SPRG0, i);
        expect(mfspr(SPR_SPRG0), i);
        mtspr(SPR_DEAR, ~i);
        expect(mfspr(SPR_DEAR), ~i);
        expect(mfmsr() & MSR_EE, MSR_EE);
    }
    __asm__ volatile("wrteei 0");
    left.end = ticks();
    if (page) { /* at an address without memory */
        load8(page);
        left.wrong = ~0u;
    }
}
