/* SPDX-License-Identifier: MIT */
/*
 * arch/memory.h (RISC-V) - the layout of the kernel's address space. It is the same for all instances of an image.
 *
 *   LINEAR_BASE   physical memory from the image upwards, linear; it begins with the image, wherever that was loaded
 *   STACKS_BASE   kernel stacks, each with an unmapped guard page below it
 *   DEVICES_BASE  device registers; until boot has read it, the device tree
 *
 * Memory below the image is not used: it belongs to the firmware or to another cluster.
 */
#ifndef AMALGAM_ARCH_MEMORY_H
#define AMALGAM_ARCH_MEMORY_H

#include <types.h>

/* Add this to a physical address of memory to get its virtual address. Boot sets it first. */
extern unsigned long linear_offset;

static inline void *phys_to_virt(paddr_t pa) { return (void *)((unsigned long)pa + linear_offset); }
static inline paddr_t virt_to_phys(const void *p) { return (unsigned long)p - linear_offset; }

/* This architecture runs no guests. */
struct stage2 {
    paddr_t root;
};

#endif
