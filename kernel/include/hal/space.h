/* SPDX-License-Identifier: MIT */
/*
 * hal/space.h - the address spaces of processes.
 *
 * A space maps the kernel, as all spaces do, and between USER_BASE and USER_END the memory that its process may reach.
 * A page is never both writable and executable. Pages have PAGE_SIZE bytes; where there are large ones, one of these
 * takes the place of a table of pages. A medium one has the entries of SPACE_GROUP pages that follow each other, all
 * equal, at a multiple of its size, and is one translation of the processor's.
 *
 * Pages that a process maps later are entered into its tables one by one, by space_walk(), under the caller's lock.
 * Tables for them are zeroed pages that the caller lends. While the space is in use no table is removed, so a walk
 * needs no lock.
 *
 * <arch/space.h> defines `struct space`, USER_BASE and USER_END, and for entries, where 0 is an empty one:
 *
 *    space_entry_t
 *    inline space_entry_t space_entry_of(paddr_t pa, unsigned rights)   for a page
 *    inline space_entry_t space_large_of(paddr_t pa, unsigned rights)   for a large page
 *    inline space_entry_t space_medium_of(paddr_t pa, unsigned rights)  for a medium page: each of its entries
 *    inline space_entry_t space_lazy_of(paddr_t pa, unsigned rights)    for a lazy page, which is not there; never 0
 *    inline space_entry_t space_hidden(space_entry_t e)                 for the same page, which is not there; never 0
 *    inline space_entry_t space_with(space_entry_t e, unsigned rights)  for the same page with other rights
 *    inline space_entry_t space_table_of(paddr_t pa)                    for a table
 *    inline paddr_t space_frame(space_entry_t e)                        address of its page; of a lazy one: `pa`; of a
 * medium one: an address in it
 *    inline unsigned space_rights(space_entry_t e)                      SPACE_* of its page, also of a lazy one
 *    inline bool space_is_lazy(space_entry_t e)                         whether its page is not there; `e` is not 0
 *    inline bool space_is_medium(space_entry_t e)                       whether its page is a medium one
 *    SPACE_MEDIUM  bytes of a medium page, and their alignment in both address spaces; 0 or not defined: there are none
 *    SPACE_LARGE   bytes of a large page, and their alignment in both address spaces; 0: there are none
 *    SPACE_ELF_CLASS, SPACE_ELF_MACHINE   e_ident[EI_CLASS] and e_machine of its programs' files
 *    SPACE_RECALLS_NOTHING   1: a core may recall that no page was there: it may fault where one is mapped by now,
 * until user_forget()
 */
#ifndef AMALGAM_HAL_SPACE_H
#define AMALGAM_HAL_SPACE_H

#include <arch/space.h>
#include <types.h>

#define SPACE_WRITE 1u
#define SPACE_EXEC  2u
#define SPACE_GROUP 16u
#ifndef SPACE_MEDIUM
#define SPACE_MEDIUM       0ul
#define space_is_medium(e) false
#endif

/* Initialize an empty space; its tables come from page_alloc(). Returns 0; -ENOMEM; -EOPNOTSUPP: the kernel uses the
 * addresses of processes itself. Boot, or when a system is created. */
int space_init(struct space *s);
/* Allocate a zeroed page for a table, which space_pages() counts and space_free() frees. Returns NULL if there is none.
 */
void *space_new_table(struct space *s);
/* Return the last entry on the walk to `va`, a user address, and the bytes that it maps: with PAGE_SIZE the page's
 * own entry; with more an empty one, where a table is missing, or, with SPACE_LARGE, a large page's. The entries of
 * SPACE_GROUP pages, at a multiple of their size, follow each other. */
space_entry_t *space_walk(const struct space *s, u64 va, u64 *size);
/* Returns whether the board's processors know medium pages. Only with SPACE_MEDIUM. */
bool space_has_medium(void);
/* Unmap all of [from, end). Tables that lie there are the caller's again; the others and pages elsewhere stay. The
 * space is loaded nowhere. */
void space_clear(struct space *s, paddr_t from, paddr_t end);
/* Returns the number of pages of its own tables. */
unsigned space_pages(const struct space *s);
/* Free its own tables, when it has no others, but not the pages that they map. The space is loaded nowhere
 * (space_leave). */
void space_free(struct space *s);
/* Load the kernel's space in place of a process's on this core. Any thread, before it ends. */
void space_leave(void);
/* Returns whether all of [va, va+size) are users' addresses, mapped or not. */
static inline bool space_is_user(u64 va, u64 size) { return va >= USER_BASE && va < USER_END && size <= USER_END - va; }

#endif
