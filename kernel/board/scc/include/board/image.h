/* SPDX-License-Identifier: MIT */
/*
 * board/image.h (scc) - a core's addresses go through its LUT: 256 entries, each of which shows 16 MiB of the board.
 * The kernel maps memory one to one, so a pointer is a core's address; entries of page tables hold the board's, since
 * the emulated core has no LUT and its page directory stands in.
 */
#ifndef AMALGAM_BOARD_IMAGE_H
#define AMALGAM_BOARD_IMAGE_H

#include <types.h>

#define LINEAR_BASE 0ul

#define LUT_SHIFT   24
#define LUT_ENTRIES 256

/* The board's address that each entry shows; 0: nothing (info.c fills it). */
extern u32 scc_lut[LUT_ENTRIES];

static inline paddr_t virt_to_phys(const void *p) { return (unsigned long)p; }

/* The board's address of a core's own. */
static inline u32 bus_address(paddr_t pa) { return scc_lut[pa >> LUT_SHIFT] + ((u32)pa & ((1u << LUT_SHIFT) - 1)); }
/* The core's address of a page that its own memory has (entry 0). */
static inline paddr_t own_address(u32 bus) { return bus - scc_lut[0]; }

#endif
