/* SPDX-License-Identifier: MIT */
/* ring.h - text of the kernels on its way to core 0 (ring.c writes, reader.c prints). */
#ifndef AMALGAM_SCC_RING_H
#define AMALGAM_SCC_RING_H

#include <core/thread.h>

#define RING_READER_PRIO (PRIO_IDLE + 1)

/* Append up to `n` bytes to this core's ring. Returns how many were taken. */
unsigned ring_put(const u8 *bytes, unsigned n);
/* Returns whether core 0 has printed text of any kernel in the last seconds, so that a full ring will have room. */
bool ring_lives(void);
/* Ask core 0 to ring when there is room (true), or no longer. */
void ring_await_room(bool wait);
/* hurry.c, or nothing: one round of the reader has a high priority / the reader is woken / has made a round of all
 * rings, and goes on if there was `some` text. */
void ring_reader_hurry(struct thread *t);
void ring_reader_waits(struct thread *t);
void ring_reader_has_read(struct thread *t, bool some);
/* Wake the reader: there is text to print. Core 0, interrupt context. */
void ring_reader_wake(void);
/* Wait until the other kernels have come to their power-off and all that they have said is printed. Ends without some
 * of them after half a second of silence, or five seconds of silence in all; without all of their text if none can be
 * printed for half a second, or if they say more and more. Then says what is lost. Core 0, a thread other than the
 * reader. */
void ring_reader_drain(void);
/* Have the reader say again when all kernels are up: one is starting anew. Core 0, any context. */
void ring_reader_expect(void);

#endif
