/* SPDX-License-Identifier: MIT */
/*
 * ahead.h - numbers that others cannot guess, drawn before they are needed (ahead.c). One costs some thousand
 * instructions where the processor has no source of them, and a revocation takes one for each cluster. With the
 * server's lock.
 */
#ifndef AMALGAM_SERVERS_CAPS_AHEAD_H
#define AMALGAM_SERVERS_CAPS_AHEAD_H

#include <stdint.h>

#define AHEAD 32u /* numbers; 256 bytes are the most that getentropy() gives */

/* Returns a number that was not given before; draws it if none is left. */
uint64_t ahead_draw(void);
/* Draw new numbers if fewer than half are left: when nobody waits. */
void ahead_fill(void);

#endif
