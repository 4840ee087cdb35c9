/* SPDX-License-Identifier: MIT */
/*
 * board/image.h (pc) - all memory, with the image, is mapped one to one: a pointer is a physical address, and addresses
 * in the image are short constants.
 */
#ifndef AMALGAM_BOARD_IMAGE_H
#define AMALGAM_BOARD_IMAGE_H

#include <types.h>

#define LINEAR_BASE 0ul

static inline paddr_t virt_to_phys(const void *p) { return (unsigned long)p; }
/* Convert to addresses for page table entries, and back (board/scc has other ones). */
static inline u32 bus_address(paddr_t pa) { return (u32)pa; }
static inline paddr_t own_address(u32 bus) { return bus; }

#endif
