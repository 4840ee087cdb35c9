/* SPDX-License-Identifier: MIT */
/* clock.h - the rates of the clocks of an SCC's cores (clock.c). */
#ifndef AMALGAM_SCC_CLOCK_H
#define AMALGAM_SCC_CLOCK_H

/* On each core, core 0 first: measure them, or take what core 0 has measured. Boot. */
void clock_init(void);

#endif
