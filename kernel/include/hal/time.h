/* SPDX-License-Identifier: MIT */
/*
 * hal/time.h - one monotonic counter, common to all cores, and one one-shot
 * alarm per core.  There is no periodic tick anywhere in this kernel.
 *
 * <arch/time.h> implements `static inline ticks_t time_now(void)`.
 */
#ifndef AMALGAM_HAL_TIME_H
#define AMALGAM_HAL_TIME_H

#include <types.h>
#include <arch/time.h>

/* Counter frequency in Hz; constant after boot. */
extern u64 time_hz;

ticks_t time_from_ns(u64 ns);
u64 time_to_ns(ticks_t t);
/* Nanoseconds since 1970 (UTC): the board's clock at boot, carried on by the counter. */
u64 hal_wall_clock_ns(void);

/*
 * Arrange one core_irq_timer() upcall on this core at `deadline` or as soon
 * after as the hardware can; a deadline in the past fires at once; TICKS_NEVER
 * disarms.  Interrupts disabled.
 */
void hal_timer_arm(ticks_t deadline);

#endif
