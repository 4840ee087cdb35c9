/* SPDX-License-Identifier: MIT */
/* console_ring.h - what the console's two ports did not take at once. All of it with the console locked. */
#ifndef AMALGAM_CORE_CONSOLE_RING_H
#define AMALGAM_CORE_CONSOLE_RING_H

#include <types.h>

#define HUMAN  0
#define TAGGED 1

u32 ring_waiting(unsigned port);
/* Puts one or more of these bytes behind what waits, and returns how many; a full ring loses all of them. Without
 * queues it waits until the port took them. */
u32 ring_send(unsigned port, const void *bytes, size_t n);
/* Gives the port a piece while there is something sent that nobody handed over. False: there is not, or the port takes
 * no more, and the rest is its interrupt's. */
bool ring_hand_over(unsigned port);
/* Gives the port a piece: what it takes now; one that takes nothing for long loses what waits. True: it took some. */
bool ring_drain(unsigned port);
/* The half of a ring that is for those who cannot wait is begun. True: come back, there is hope. */
bool ring_busy(void);
/* Whether bytes were lost since this was asked before; the first time true. */
bool ring_lost(unsigned port);

#endif
