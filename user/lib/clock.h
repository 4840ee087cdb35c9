/* SPDX-License-Identifier: MIT */
/* clock.h - a POSIX time as a value of amalgam_clock(). */
#ifndef AMALGAM_USER_CLOCK_H
#define AMALGAM_USER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ull

/* Returns false when it is no time; AMALGAM_NEVER when it is later than can be said. */
bool clock_of(const struct timespec *time, uint64_t *ns);

#endif
