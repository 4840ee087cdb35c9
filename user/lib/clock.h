/* SPDX-License-Identifier: MIT */
/* clock.h - converts a POSIX time to a value of amalgam_clock(). */
#ifndef AMALGAM_USER_CLOCK_H
#define AMALGAM_USER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ull

/* Returns false if `time` is not a valid time. *ns becomes AMALGAM_NEVER if it is too late for 64 bits. */
bool clock_of(const struct timespec *time, uint64_t *ns);

#endif
