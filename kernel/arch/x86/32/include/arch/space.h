/* SPDX-License-Identifier: MIT */
/* arch/space.h (x86, 32 bits) - an address space of a process. A Pentium executes every page that it may read:
 * SPACE_EXEC is only remembered, in a bit that the processor ignores. */
#ifndef AMALGAM_ARCH_SPACE_H
#define AMALGAM_ARCH_SPACE_H

#include <arch/memory.h>
#include <arch/pte.h>
#include <types.h>

#define USER_BASE             0xc0000000ul
#define USER_END              0xe0000000ul
#define SPACE_ELF_CLASS       1 /* ELFCLASS32 */
#define SPACE_ELF_MACHINE     3 /* EM_386 */
#define SPACE_LARGE           0 /* docs/library.md, large pages */
#define SPACE_RECALLS_NOTHING 0 /* a page that is not there is never cached (Pentium manual vol. 3, 11.3.5) */

#define PTE_CODE (1u << 10)

struct space {
    pte_t *root; /* the page directory; NULL: there is no space */
    u32 pages;   /* pages of its tables */
};

typedef pte_t space_entry_t;

/* Entries as in hal/space.h; `rights`: SPACE_*. */
static inline u32 space_rights_bits(unsigned rights) { return (rights & 1 ? PTE_W : 0) | (rights & 2 ? PTE_CODE : 0); }
static inline space_entry_t space_entry_of(paddr_t pa, unsigned rights)
{
    return bus_address(pa) | PTE_P | PTE_U | space_rights_bits(rights);
}
static inline space_entry_t space_large_of(paddr_t pa, unsigned rights) { return 0; }
static inline space_entry_t space_hidden(space_entry_t e) { return e & ~PTE_P; }
static inline space_entry_t space_lazy_of(paddr_t pa, unsigned rights)
{
    return space_hidden(space_entry_of(pa, rights));
}
static inline space_entry_t space_with(space_entry_t e, unsigned rights)
{
    return (e & ~(PTE_W | PTE_CODE)) | space_rights_bits(rights);
}
static inline space_entry_t space_table_of(paddr_t pa) { return bus_address(pa) | PTE_P | PTE_W | PTE_U; }
static inline paddr_t space_frame(space_entry_t e) { return own_address(e & PTE_ADDR); }
static inline unsigned space_rights(space_entry_t e) { return (e & PTE_W ? 1 : 0) | (e & PTE_CODE ? 2 : 0); }
static inline bool space_is_lazy(space_entry_t e) { return !(e & PTE_P); }

#endif
