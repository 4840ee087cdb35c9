/* SPDX-License-Identifier: MIT */
/* clock.h - converts a POSIX time to a value of amalgam_clock(), and nanoseconds to a POSIX time. */
#ifndef AMALGAM_USER_CLOCK_H
#define AMALGAM_USER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ull

/* Returns the nanoseconds from 1970 to the start of amalgam_clock(); 0: the board has no wall clock. */
uint64_t clock_epoch(void);
/* clock_of(): for a time since the start of amalgam_clock(). clock_of_realtime(): for a time since 1970; one before the
 * start becomes 0. Returns false if `time` is not a valid time. *ns becomes AMALGAM_NEVER if it is too late for 64
 * bits. */
bool clock_of(const struct timespec *time, uint64_t *ns);
bool clock_of_realtime(const struct timespec *time, uint64_t *ns);
/* One of both, for CLOCK_MONOTONIC or CLOCK_REALTIME. Returns false for any other clock, too. */
bool clock_deadline(clockid_t clock, const struct timespec *time, uint64_t *ns);

static inline struct timespec clock_timespec(uint64_t ns)
{
    return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
}

#endif
