/* SPDX-License-Identifier: MIT */
/*
 * hal/time.h - one monotonic counter, common to all cores, and a one-shot alarm for each core. There is no periodic
 * tick in this kernel.
 *
 * <arch/time.h> implements `static inline ticks_t time_now(void)`.
 */
#ifndef AMALGAM_HAL_TIME_H
#define AMALGAM_HAL_TIME_H

#include <types.h>
#include <arch/time.h>

/* Counter frequency in Hz; constant after boot. */
extern u64 time_hz;

/* Returns a * b / c with a 128-bit product, rounded down; saturates if the quotient does not fit. t ticks are
 * mul_div(t, hz, time_hz) periods of a clock of hz. c must be below 2^32, but on x86-64, whose processors divide 128
 * bits. It takes as many instructions for large numbers as for small ones, or one division more. */
u64 mul_div(u64 a, u64 b, u64 c);
ticks_t time_from_ns(u64 ns);
u64 time_to_ns(ticks_t t);
/* Returns the counter's value `ns` from now. */
static inline ticks_t time_after(u64 ns) { return time_now() + time_from_ns(ns); }
/* Returns nanoseconds since 1970 (UTC) when the counter stands at `ns` (time_to_ns()): the board's clock at boot plus
 * the counter, on a PC from some time on by a better rate. It never jumps or goes back. 0: the board has no clock. */
u64 hal_wall_clock_at(u64 ns);
static inline u64 hal_wall_clock_ns(void) { return hal_wall_clock_at(time_to_ns(time_now())); }

/*
 * Let core_irq_timer() be called once on this core, at `deadline` or as soon after as the hardware can; a past deadline
 * fires at once; TICKS_NEVER disarms. Interrupts must be off.
 */
void hal_timer_arm(ticks_t deadline);

#endif
