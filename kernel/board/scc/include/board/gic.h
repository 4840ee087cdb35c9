/* SPDX-License-Identifier: MIT */
/*
 * board/gic.h - an SCC core's registers for interrupts of other cores, as words of shared memory (docs/scc.md).
 *
 * On the part the Global Interrupt Controller has for each core a status word, in which the receiver reads who asks
 * for it, and a mask of those who only set their bit there. A bit of the core's configuration register says whether
 * what is asked for raises the pin LINT0, the core's interrupt. Here the sender's code does what the controller does
 * (bell.c). As any kernel may write any of the words, the receiver keeps what it wants to itself, and writes its words
 * again once a second, where programs run that could write there (watch.c).
 */
#ifndef AMALGAM_BOARD_GIC_H
#define AMALGAM_BOARD_GIC_H

#include <board/scc.h>

#define SCC_LINT0 1u /* in a core's configuration word: rings raise its interrupt */

/* A tile's identification, as the part's register has it: the core in its tile, the tile's column and row. */
#define SCC_TILE_ID(core)   ((core) % 2 | (core) / 2 % SCC_ACROSS << 3 | (core) / 2 / SCC_ACROSS << 7)
#define SCC_TILE_COLUMN(id) ((id) >> 3 & 0xf)
#define SCC_TILE_ROW(id)    ((id) >> 7 & 0xf)

/* Set what this core wants: the senders (bit n: core n) whose rings only set their bits in its status; whether any ring
 * interrupts it. What was held back and is wanted now comes at once, as one interrupt. Any context. */
void scc_gic_mask(u64 senders);
void scc_gic_forward(bool on);
/* Write this core's words again, and take what is pending. Any context. */
void scc_gic_renew(void);
/* Clear the bits in this core's status of senders that are not masked; returns them. Interrupt context. */
u64 scc_gic_take(void);

#endif
