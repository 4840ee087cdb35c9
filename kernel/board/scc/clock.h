/* SPDX-License-Identifier: MIT */
/* clock.h - cpu/time.c's time_init(), by its name on this board. */
#ifndef AMALGAM_SCC_CLOCK_H
#define AMALGAM_SCC_CLOCK_H

void time_measure(void);

#endif
