/* SPDX-License-Identifier: MIT */
/* arch/memory.h (x86, 32 bits, stand-in) - an address space of 4 GiB. */
#ifndef AMALGAM_TESTS_X86_32_MEMORY_H
#define AMALGAM_TESTS_X86_32_MEMORY_H

#include <board/image.h>
#include <types.h>

#define STACKS_BASE  0xe0000000ul
#define DEVICES_BASE 0xf0000000ul

static inline void *phys_to_virt(paddr_t pa) { return (void *)(unsigned long)(pa + LINEAR_BASE); }

struct stage2 {
    paddr_t root;
};

#endif
