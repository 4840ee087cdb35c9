/* SPDX-License-Identifier: MIT */
/*
 * board/watch.h - each kernel gives signs of life, and finds those that give none (docs/scc.md).
 *
 * The kernels of a system with a program in kernel space, or with a process that shares memory, count the seconds in
 * which they run, in shared memory. All kernels have the same system; without any such program no switch of threads
 * pays for a timer. Each also writes its registers again (board/gic.h), and looks at the counts of all others, whatever
 * programs run where. A count that stays the same for SCC_PATIENCE looks is a dead kernel's: who finds that changes the
 * kernel's number (scc_up()). So a program that knows its members' numbers knows of each end (docs/lives.md).
 */
#ifndef AMALGAM_BOARD_WATCH_H
#define AMALGAM_BOARD_WATCH_H

#include <board/scc.h>

#define SCC_PATIENCE      5u  /* seconds */
#define SCC_PATIENCE_BOOT 30u /* of a kernel that has not given any sign yet */

/* This kernel gives signs of life and looks for others' from now on; again: nothing. Boot. */
void scc_beat_begin(void);

#endif
