/* SPDX-License-Identifier: MIT */
/* What the processor makes of nested tables (APM 15.25, 5.3): a walk of its own, no question to the kernel. */
#ifndef STAGE2_WALK_H
#define STAGE2_WALK_H

#include <arch/boot.h>
#include <arch/cpu.h>
#include <hal/memory.h>

/* Returns the host-physical address of gpa and its rights in *prot (may be NULL), or -1 if it is not mapped. */
static inline paddr_t stage2_walk(const struct stage2 *s2, gpa_t gpa, unsigned *prot)
{
    unsigned shift = 12 + 9 * s2->levels;
    if (gpa >> (s2->levels == 4 ? 48 : 52))
        return (paddr_t)-1;
    for (u64 entry = s2->root | PTE_P;; entry = ((const u64 *)phys_to_virt(entry & PTE_ADDR))[gpa >> shift & 511]) {
        if (!(entry & PTE_P))
            return (paddr_t)-1;
        if (shift == 12 || entry & PTE_PS) {
            u64 offset = (1ul << shift) - 1;
            if (prot)
                *prot = (entry & PTE_W ? S2_WRITE : 0) | (entry & PTE_NX ? 0 : S2_EXEC);
            return (entry & PTE_ADDR & ~offset) | (gpa & offset);
        }
        shift -= 9;
    }
}

#endif
