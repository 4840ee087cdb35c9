/* SPDX-License-Identifier: MIT */
/* arch/memory.h for the host: physical addresses are pointers. */
#ifndef AMALGAM_ARCH_MEMORY_H
#define AMALGAM_ARCH_MEMORY_H

#include <types.h>

struct stage2 {
    paddr_t root;
    unsigned levels;
};
static inline void *phys_to_virt(paddr_t pa) { return (void *)(uintptr_t)pa; }
static inline paddr_t virt_to_phys(const void *p) { return (paddr_t)(uintptr_t)p; }

#endif
