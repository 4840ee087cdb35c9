/* SPDX-License-Identifier: MIT */
/* clock.h - cpu/time.c's time_init() under the name that it has on this board. */
#ifndef AMALGAM_SCC_CLOCK_H
#define AMALGAM_SCC_CLOCK_H

void time_measure(void);

#endif
