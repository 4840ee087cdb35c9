/* SPDX-License-Identifier: MIT */
/*
 * timers.c - programmable interval timer, fixed interval timer and watchdog of a guest (PPC405 UM chapter 11), in real
 * time: they go on while the guest does not run, and their interrupts are pending when it runs again.
 *
 * The PIT counts from pit_start, so a period that is noticed late does not shift the next one. Each look moves
 * pit_start to now and shortens pit_length by as much, so the time since the last look, not the period, must be within
 * 32 bits. FIT and watchdog are rising edges of time base bits: the numbers of edges at two times are compared.
 */
#include "dev.h"
#include <arch/deliver.h>
#include <wcet.h>

#define TCR_WRITABLE 0xffc00000u
#define EARLIER      0xf0000000u /* a larger difference is a step back: the caller read the clock before another reader */

/* Returns the ticks until `bit` of the time base next rises. */
static u32 to_edge(u32 time, u32 bit)
{
    u32 half = 1u << bit;
    return ((half - 1 - time) & (2 * half - 1)) + 1;
}
static u32 fit_bit(u32 tcr) { return 8 + (tcr >> 22 & 12); }
static u32 wdt_bit(u32 tcr) { return 16 + (tcr >> 28 & 12); }

/* Pending are the bits of TSR that TCR enables; VMP_* are the same bits, rotated. */
_Static_assert(VMP_PIT == TCR_PIE >> 23 && VMP_WDT == TCR_WIE >> 23 && VMP_FIT == TCR_FIE >> 23, "rotation");

static void timers_update(struct vm *vm)
{
    u32 tsr = vm->timers.tsr, tcr = vm->timers.tcr;
    vm_set_pending(vm, VMP_PIT | VMP_FIT | VMP_WDT,
                   ((tsr >> 1 & TCR_PIE) | (tsr >> 3 & (TCR_FIE | TCR_WIE))) >> 23 & tcr >> 23);
}

static __attribute__((noinline)) void pit_expire(struct vtimers *t, u32 now)
{
    u32 gone = now - t->pit_start;

    if (!t->pit_length || gone > EARLIER)
        return;
    if (gone < t->pit_length) {
        t->pit_start = now;
        t->pit_length -= gone;
    } else {
        t->tsr |= TSR_PIS;
        t->pit_start += t->pit_length;
        t->pit_length = t->pit_reload =
            t->tcr & TCR_ARE ? t->pit_reload : 0; /* pit.S relies on it: without a reload value nothing can expire */
        if (t->pit_length)
            t->pit_start = now - (now - t->pit_start) % t->pit_length;
    }
}

/* Handle periods of the watchdog: the first arms it, the second interrupts, the third does what TCR[WRC] says. */
static void watchdog(struct vm *vm, u32 periods)
{
    struct vtimers *t = &vm->timers;
    u32 level = (t->tsr >> 31) + (t->tsr >> 30 & 1) + periods; /* TSR_ENW, TSR_WIS */

    t->tsr |= level > 1 ? TSR_ENW | TSR_WIS : TSR_ENW;
    if (level > 2 && (t->tcr & TCR_WRC)) {
        t->tsr = (t->tsr & ~(TSR_ENW | TSR_WIS)) | (t->tcr & TCR_WRC);
        vm->part.taken |= ORDER_RESET; /* not at once: the caller may be about to choose the next VM */
    }
}

void guest_timers_run(struct vm *vm, u32 now)
{
    struct vtimers *t = &vm->timers;

    if (now - t->seen > EARLIER)
        now = t->seen;
    pit_expire(t, now);
    u32 gone = now - t->seen, bit = wdt_bit(t->tcr), edge = to_edge(t->seen, bit);
    if (gone >= to_edge(t->seen, fit_bit(t->tcr)))
        t->tsr |= TSR_FIS;
    if (gone >= edge)
        watchdog(vm, ((gone - edge) >> bit >> 1) + 1);
    t->seen = now;
    timers_update(vm);
}

static u32 rest(u32 length, u32 gone) { return gone >= length ? 0 : length - gone; }

static u32 edge_left(const struct vtimers *t, u32 now, u32 bit) { return rest(to_edge(t->seen, bit), now - t->seen); }

u32 guest_timers_left(const struct vm *vm, u32 now)
{
    const struct vtimers *t = &vm->timers;
    u32 left = TIMERS_FAR;

    if (t->tcr & ~t->tsr >> 1 & TCR_PIE && t->pit_length)
        left = MIN(left, rest(t->pit_length, now - t->pit_start));
    if (t->tcr & ~t->tsr >> 3 & TCR_FIE)
        left = MIN(left, edge_left(t, now, fit_bit(t->tcr)));
    if (t->tcr & (TCR_WRC | (~t->tsr >> 3 & TCR_WIE)))
        left = MIN(left, edge_left(t, now, wdt_bit(t->tcr)));
    return left;
}

u32 timer_read(struct vm *vm, u32 spr)
{
    const struct vtimers *t = &vm->timers;
    if (spr == SPR_TCR)
        return t->tcr; /* time does not change it */
    guest_timers_run(vm, hal_now());
    if (spr == SPR_TSR)
        return t->tsr;
    return t->pit_length ? t->pit_length - (t->seen - t->pit_start) : 0;
}

void timer_write(struct vm *vm, u32 spr, u32 value)
{
    struct vtimers *t = &vm->timers;
    u32 now = hal_now();
    if (spr == SPR_PIT || (spr == SPR_TSR && value == TSR_PIS)) /* frequent, and independent of the other timers */
        pit_expire(t, now);
    else
        guest_timers_run(vm, now);
    if (spr == SPR_PIT) {
        t->pit_start = now;
        t->pit_length = t->pit_reload = value;
    } else if (spr == SPR_TSR)
        t->tsr &= ~value;
    else /* WRC can be set, not cleared */
        t->tcr = (value & TCR_WRITABLE) | (t->tcr & TCR_WRC);
    timers_update(vm);
    hal_alarm_update();
}
