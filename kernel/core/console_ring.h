/* SPDX-License-Identifier: MIT */
/* console_ring.h - what the console's two ports did not take at once. All of it with the console locked. */
#ifndef AMALGAM_CORE_CONSOLE_RING_H
#define AMALGAM_CORE_CONSOLE_RING_H

#include <types.h>

#define HUMAN  0
#define TAGGED 1

u32 ring_waiting(unsigned port);
/* Waits while the ring is full, or, without queues, until the port took it; a port that takes nothing loses what waits.
 */
void ring_send(unsigned port, u8 byte);
/* Gives the port what it takes now: how many bytes that was. */
u32 ring_drain(unsigned port);
/* The half of a ring that is for those who cannot wait is begun. True: come back, there is hope. */
bool ring_busy(void);
/* Whether bytes were lost since this was asked before; the first time true. */
bool ring_lost(unsigned port);

#endif
