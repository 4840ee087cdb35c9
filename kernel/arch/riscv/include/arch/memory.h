/* SPDX-License-Identifier: MIT */
/*
 * arch/memory.h (RISC-V) - the kernel's address space, the same for every instance of one image.
 *
 *   LINEAR_BASE   physical memory from the image on, linear; the image is its beginning, wherever that lies
 *   STACKS_BASE   kernel stacks, an unmapped guard page beneath each
 *   DEVICES_BASE  device registers; until boot has read it, the device tree
 *
 * Memory below the image is not used: firmware's, or another cluster's.
 */
#ifndef AMALGAM_ARCH_MEMORY_H
#define AMALGAM_ARCH_MEMORY_H

#include <types.h>

/* What to add to a physical address of memory to reach it; set before anything uses it. */
extern unsigned long linear_offset;

static inline void *phys_to_virt(paddr_t pa) { return (void *)((unsigned long)pa + linear_offset); }
static inline paddr_t virt_to_phys(const void *p) { return (unsigned long)p - linear_offset; }

/* There are no guests. */
struct stage2 {
    paddr_t root;
};

#endif
