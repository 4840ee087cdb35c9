/* SPDX-License-Identifier: MIT */
/*
 * start.h - starts a program in a slot, with a pipe for its output if that is wanted (start.c).
 *
 * The kernel uses up a number of a pipe with each life of it, and has 32 bits of them until it is started anew. So a
 * pipe that no program got, since no slot was free or the program was refused, is kept for the next one: whoever asks
 * again and again while all slots are taken uses up none.
 */
#ifndef AMALGAM_SERVERS_PROCESS_START_H
#define AMALGAM_SERVERS_PROCESS_START_H

#include <amalgam/spawn.h>

/* Start what *p says, which has no handles. `output`, if it is not NULL, gets the reading end of the program's pipe.
 * Returns the program's number, 0 if no slot is free, or a negative error. */
int64_t start_program(struct amalgam_program *p, uint32_t *output);

#endif
