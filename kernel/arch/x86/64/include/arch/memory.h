/* SPDX-License-Identifier: MIT */
/*
 * arch/memory.h (x86, 64 bits) - the kernel's address space.
 *
 *   board/image.h says   all physical memory, linear, never executable (at most 64 TiB): LINEAR_BASE
 *   board/image.h says   the kernel image, text read-only, data not executable
 *   0xffffc000'00000000  kernel stacks, an unmapped guard page beneath each
 *   0xffffc080'00000000  device registers, uncached
 */
#ifndef AMALGAM_ARCH_MEMORY_H
#define AMALGAM_ARCH_MEMORY_H

#include <board/image.h>
#include <types.h>

#define STACKS_BASE  0xffffc00000000000ul
#define DEVICES_BASE 0xffffc08000000000ul

static inline void *phys_to_virt(paddr_t pa) { return (void *)(pa + LINEAR_BASE); }

/* Returns how much of a region of memory has no address in the linear window: none. */
static inline u64 ram_beyond(paddr_t base, u64 size) { return 0; }

struct stage2 {
    paddr_t root;
    unsigned levels; /* 4 or 5: nested paging has as many levels as the host's (APM 15.25.3) */
};

#endif
