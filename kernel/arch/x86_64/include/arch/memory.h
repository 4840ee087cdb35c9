/* SPDX-License-Identifier: MIT */
/*
 * arch/memory.h (x86-64) - the kernel's address space.
 *
 *   0xffff8000'00000000  all physical memory, linear, never executable (512 GiB .. 64 TiB)
 *   0xffffc000'00000000  kernel stacks, an unmapped guard page beneath each
 *   0xffffc080'00000000  device registers, uncached
 *   0xffffffff'80000000  the kernel image, text read-only, data not executable
 *
 * Nothing is mapped in the lower half once the boot tables are gone.
 */
#ifndef AMALGAM_ARCH_MEMORY_H
#define AMALGAM_ARCH_MEMORY_H

#include <board/image.h>
#include <types.h>

#define LINEAR_BASE  0xffff800000000000ul
#define STACKS_BASE  0xffffc00000000000ul
#define DEVICES_BASE 0xffffc08000000000ul
#define IMAGE_BASE   0xffffffff80000000ul

static inline void *phys_to_virt(paddr_t pa) { return (void *)(pa + LINEAR_BASE); }

/* For pointers into the linear window and into the image. */
static inline paddr_t virt_to_phys(const void *p)
{
    u64 v = (u64)p;
    return v >= IMAGE_BASE ? v - IMAGE_BASE + IMAGE_PHYS : v - LINEAR_BASE;
}

struct stage2 {
    paddr_t root;
    unsigned levels; /* 4 or 5: nested paging has as many as the host's own (APM 15.25.3) */
};

#endif
