/* SPDX-License-Identifier: MIT */
/* console_ring.h - rings of bytes that the console's two ports have not taken yet. The console must be locked. */
#ifndef AMALGAM_CORE_CONSOLE_RING_H
#define AMALGAM_CORE_CONSOLE_RING_H

#include <types.h>

#define HUMAN  0
#define TAGGED 1

u32 ring_waiting(unsigned port);
/* Append one or more of these bytes to the port's ring. Returns how many; a full ring drops all of them and returns
 * n. Without queueing this waits until the port has taken them. */
u32 ring_send(unsigned port, const void *bytes, size_t n);
/* Give the port a piece if there are bytes that no writer has given to it. Returns false if there are none, or if the
 * port takes no more; its interrupt then takes the rest. */
bool ring_hand_over(unsigned port);
/* Give the port as many bytes as it takes now. If it has taken nothing for long, drop the waiting bytes. Returns
 * whether it took some. */
bool ring_drain(unsigned port);
/* Returns whether a ring is more than half full, so that only speakers who cannot wait should write; in that case
 * also give both ports a piece. */
bool ring_busy(void);
/* From now on no byte waits in a ring. Give both ports a piece of those that do. Returns whether more wait. */
bool ring_flush(void);
/* Returns whether bytes were dropped since the last call; the first call returns true. */
bool ring_lost(unsigned port);

#endif
