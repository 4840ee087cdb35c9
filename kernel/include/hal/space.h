/* SPDX-License-Identifier: MIT */
/*
 * hal/space.h - the address spaces of processes.
 *
 * A space shows the kernel, as every other space does, and between USER_BASE and
 * USER_END what its process may reach.  A page is never both writable and
 * executable.
 *
 * What a process shows itself later is put into the entries of its tables one by one, by space_walk(), under the
 * caller's lock.  Tables for that are pages of zeros that the caller lends; while the space is in use none goes away,
 * so that a walk needs no lock.
 *
 * <arch/space.h> defines `struct space`, USER_BASE and USER_END, and of entries, where 0 is one with nothing there:
 *
 *   space_entry_t
 *   inline space_entry_t space_entry_of(paddr_t pa, unsigned rights)   for a page
 *   inline space_entry_t space_table_of(paddr_t pa)                    for a table
 *   inline paddr_t space_frame(space_entry_t e)                        which page
 *   inline bool space_is_code(space_entry_t e)                         whether it may be executed
 *   SPACE_RECALLS_NOTHING   1: also after something was put where nothing was, user_forget() is due
 */
#ifndef AMALGAM_HAL_SPACE_H
#define AMALGAM_HAL_SPACE_H

#include <arch/space.h>
#include <types.h>

#define SPACE_WRITE 1u
#define SPACE_EXEC  2u

/* An empty space; its tables come from page_alloc(). -ENOMEM; -EOPNOTSUPP: the kernel has something of its own where
 * processes' addresses are. Boot, or creation of a system. */
int space_init(struct space *s);
/* Show [pa, pa+size) at `va`, whole pages, readable and SPACE_*. -EINVAL: not pages, not users' addresses, writable and
 * executable; -EEXIST: something is there; -ENOMEM. What was mapped before a failure stays. The space is loaded
 * nowhere. */
int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights);
/* The last entry on the way to `va`, of users' addresses, and the bytes that it stands for: with PAGE_SIZE that page's
 * own, else one with nothing there, where a table is missing. */
space_entry_t *space_walk(const struct space *s, u64 va, u64 *size);
/* Show nothing any more. Tables that lie in [from, end) are the caller's again, the others stay. It is loaded nowhere.
 */
void space_clear(struct space *s, paddr_t from, paddr_t end);
/* Pages that its own tables take. */
unsigned space_pages(const struct space *s);
/* Free its own tables, when it has no others, not what they show. It is loaded nowhere (space_leave). */
void space_free(struct space *s);
/* This core forgets the space that it has loaded. Any thread, before it ends. */
void space_leave(void);
/* Whether all of [va, va+size) are users' addresses, mapped or not. */
static inline bool space_is_user(u64 va, u64 size) { return va >= USER_BASE && va < USER_END && size <= USER_END - va; }

#endif
