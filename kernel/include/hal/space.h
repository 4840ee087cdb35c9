/* SPDX-License-Identifier: MIT */
/*
 * hal/space.h - the address spaces of processes.
 *
 * A space shows the kernel, as every other space does, and between USER_BASE and
 * USER_END what its process may reach.  A page is never both writable and
 * executable.  Spaces are filled when a process is created, never on its word.
 *
 * <arch/space.h> defines `struct space`, USER_BASE and USER_END.
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
/* Pages that its tables take. */
unsigned space_pages(const struct space *s);
/* Free its tables, not what they show. It is loaded nowhere (space_leave). */
void space_free(struct space *s);
/* This core forgets the space that it has loaded. Any thread, before it ends. */
void space_leave(void);
/* Whether all of [va, va+size) are users' addresses, mapped or not. */
static inline bool space_is_user(u64 va, u64 size) { return va >= USER_BASE && va < USER_END && size <= USER_END - va; }

#endif
