/* SPDX-License-Identifier: MIT */
/*
 * arch/memory.h (x86, 32 bits) - the layout of the kernel's address space.
 *
 *   see board/image.h    physical memory below RAM_END, linear (LINEAR_BASE); the image lies in it
 *   0xc0000000           processes (arch/space.h), on a machine that has no memory there
 *   0xe0000000           kernel stacks, each with an unmapped guard page below it
 *   0xf0000000           device registers, uncached
 *
 * Memory from RAM_END on is not used: the window has no addresses for it.
 */
#ifndef AMALGAM_ARCH_MEMORY_H
#define AMALGAM_ARCH_MEMORY_H

#include <board/image.h>
#include <types.h>

#define STACKS_BASE  0xe0000000ul
#define DEVICES_BASE 0xf0000000ul
#define RAM_END      ((paddr_t)(STACKS_BASE - LINEAR_BASE))

static inline void *phys_to_virt(paddr_t pa) { return (void *)(unsigned long)(pa + LINEAR_BASE); }

/* The bytes of a region of memory that have no address in the linear window. */
static inline u64 ram_beyond(paddr_t base, u64 size)
{
    return base + size <= RAM_END ? 0 : base < RAM_END ? base + size - RAM_END : size;
}

/* A guest's memory (x86/para): ranges of its physical addresses, in a page of their own. */
struct stage2 {
    struct stage2_range *range;
    unsigned n;
};

#endif
