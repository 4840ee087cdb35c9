/* SPDX-License-Identifier: MIT */
/* ring.h - what the kernels say, on its way to core 0 (ring.c writes, reader.c prints). */
#ifndef AMALGAM_SCC_RING_H
#define AMALGAM_SCC_RING_H

#include <types.h>

/* Put up to `n` bytes into this core's ring; returns how many fitted. */
unsigned ring_put(const u8 *bytes, unsigned n);
/* Let core 0 ring when there is room again (true), or not. */
void ring_await_room(bool wait);
/* There is something to print. Core 0, interrupt context. */
void ring_reader_wake(void);

#endif
