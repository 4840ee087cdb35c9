/* SPDX-License-Identifier: MIT */
/*
 * board/image.h (scc) - a core's addresses go through its LUT: 256 entries, each of which maps 16 MiB of the board. The
 * kernel maps memory one to one, so a pointer is a core's address. Entries of page tables have board addresses, because
 * the emulated core has no LUT and its page directory replaces it.
 */
#ifndef AMALGAM_BOARD_IMAGE_H
#define AMALGAM_BOARD_IMAGE_H

#include <types.h>

#define LINEAR_BASE 0ul

#define LUT_SHIFT   24
#define LUT_ENTRIES 256

/* The board address of each entry; 0: none (info.c fills it). */
extern u32 scc_lut[LUT_ENTRIES];

static inline paddr_t virt_to_phys(const void *p) { return (unsigned long)p; }

/* Return the board address of a core's address. */
static inline u32 bus_address(paddr_t pa) { return scc_lut[pa >> LUT_SHIFT] + ((u32)pa & ((1u << LUT_SHIFT) - 1)); }
/* Return the core's address of a page in its own memory (entry 0). */
static inline paddr_t own_address(u32 bus) { return bus - scc_lut[0]; }

#endif
