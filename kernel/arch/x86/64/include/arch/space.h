/* SPDX-License-Identifier: MIT */
/* arch/space.h (x86-64) - the addresses of processes: one entry of the fourth level, from 512 GiB on. */
#ifndef AMALGAM_ARCH_SPACE_H
#define AMALGAM_ARCH_SPACE_H

#include <arch/pte.h>
#include <types.h>

#define USER_BASE             0x8000000000ul
#define USER_END              0x10000000000ul
#define SPACE_ELF_CLASS       2  /* ELFCLASS64 */
#define SPACE_ELF_MACHINE     62 /* EM_X86_64 */
#define SPACE_LARGE           (2 * MIB)
#define SPACE_RECALLS_NOTHING 0 /* a missing page is never cached (APM vol. 2, 5.5.2) */

struct space {
    u64 *root;   /* the top-level table; NULL: no space */
    u64 *level4; /* the fourth level; it is the root unless there are five */
    u32 pages;   /* pages of its tables */
};

typedef u64 space_entry_t;

/* Entries as in hal/space.h; `rights`: SPACE_*. */
static inline u64 space_rights_bits(unsigned rights) { return (rights & 1 ? PTE_W : 0) | (rights & 2 ? 0 : PTE_NX); }
static inline space_entry_t space_entry_of(paddr_t pa, unsigned rights)
{
    return pa | PTE_P | PTE_U | space_rights_bits(rights);
}
static inline space_entry_t space_large_of(paddr_t pa, unsigned rights) { return space_entry_of(pa, rights) | PTE_PS; }
static inline space_entry_t space_hidden(space_entry_t e) { return e & ~PTE_P; }
static inline space_entry_t space_lazy_of(paddr_t pa, unsigned rights)
{
    return space_hidden(space_entry_of(pa, rights));
}
static inline space_entry_t space_with(space_entry_t e, unsigned rights)
{
    return (e & ~(PTE_W | PTE_NX)) | space_rights_bits(rights);
}
static inline space_entry_t space_table_of(paddr_t pa) { return pa | PTE_P | PTE_W | PTE_U; }
static inline paddr_t space_frame(space_entry_t e) { return e & PTE_ADDR; }
static inline unsigned space_rights(space_entry_t e) { return (e & PTE_W ? 1 : 0) | (e & PTE_NX ? 0 : 2); }
static inline bool space_is_lazy(space_entry_t e) { return !(e & PTE_P); }

#endif
