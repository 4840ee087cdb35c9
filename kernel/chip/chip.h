/* SPDX-License-Identifier: MIT */
/* chip.h - what the files of an SCC's part of processes share. */
#ifndef AMALGAM_CHIP_CHIP_H
#define AMALGAM_CHIP_CHIP_H

#include <process/process.h>

/* Returns 0, or the number + 1 of one of its cores whose kernel has ended since this run began; of the process that
 * has shared memory here. */
u32 chip_lost(const struct process *p);

#endif
