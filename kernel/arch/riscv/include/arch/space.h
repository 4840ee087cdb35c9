/* SPDX-License-Identifier: MIT */
/* arch/space.h (RISC-V) - an address space of a process. */
#ifndef AMALGAM_ARCH_SPACE_H
#define AMALGAM_ARCH_SPACE_H

#include <arch/paging.h>
#include <arch/space_limits.h>
#include <types.h>

#define SPACE_ELF_MACHINE     243 /* EM_RISCV */
#define SPACE_LARGE           (1ul << (PAGE_SHIFT + PT_BITS))
#define SPACE_MEDIUM          (PAGES_64K ? 0x10000ul : 0)
#define SPACE_RECALLS_NOTHING 1 /* a hart may cache that a page was not mapped (4.2.1) */

struct space {
    unsigned long *root; /* NULL: there is no space */
    unsigned long satp;
    u32 pages; /* pages that its tables take */
};

typedef pte_t space_entry_t;

/* See hal/space.h; `rights`: SPACE_*. The A and D bits are set in advance, as in the kernel's own entries. */
static inline pte_t space_rights_bits(unsigned rights)
{
    return (rights & 1 ? PTE_W | PTE_D : 0) | (rights & 2 ? PTE_X : 0);
}
static inline space_entry_t space_entry_of(paddr_t pa, unsigned rights)
{
    return pte_of(pa, PTE_V | PTE_U | PTE_R | PTE_A | space_rights_bits(rights));
}
/* A leaf above the last level (4.3.2). */
static inline space_entry_t space_large_of(paddr_t pa, unsigned rights) { return space_entry_of(pa, rights); }
/* The middle bit of a page of 64 KiB, the lowest one that is set of the number of its page, is its size (5.1). */
static inline space_entry_t space_medium_of(paddr_t pa, unsigned rights)
{
    return space_entry_of(pa | 0x8000, rights) | PTE_N;
}
static inline bool space_is_medium(space_entry_t e) { return SPACE_MEDIUM && e & PTE_N; }
static inline space_entry_t space_hidden(space_entry_t e) { return e & ~PTE_V; }
static inline space_entry_t space_lazy_of(paddr_t pa, unsigned rights)
{
    return space_hidden(space_entry_of(pa, rights));
}
static inline space_entry_t space_with(space_entry_t e, unsigned rights)
{
    return (e & ~(PTE_W | PTE_D | PTE_X)) | space_rights_bits(rights);
}
static inline space_entry_t space_table_of(paddr_t pa) { return pte_of(pa, PTE_V); }
static inline paddr_t space_frame(space_entry_t e) { return pte_address(e); }
static inline unsigned space_rights(space_entry_t e) { return (e & PTE_W ? 1 : 0) | (e & PTE_X ? 2 : 0); }
static inline bool space_is_lazy(space_entry_t e) { return !(e & PTE_V); }

#endif
