/* SPDX-License-Identifier: MIT */
/*
 * arch/guest_walk.h - guest-virtual to guest-physical, as the guest's own page tables say.
 *
 * Reads the tables through guest_ptr(), so a table outside the guest's RAM is a
 * miss.  At most five loads for each page.  Accessed and dirty bits are left alone: the
 * processor has set them for the access that brought us here.
 */
#ifndef AMALGAM_ARCH_GUEST_WALK_H
#define AMALGAM_ARCH_GUEST_WALK_H

#include <types.h>
#include <vm/guest_memory.h>

struct guest_paging {
    const struct guest_memory *memory;
    u64 cr0, cr3, cr4, efer;
    bool user; /* at CPL 3 */
};

/* 0 and *gpa; -EFAULT: not present, not permitted, or the tables are broken. */
int guest_walk(const struct guest_paging *p, u64 va, bool write, gpa_t *gpa);

/* The bytes of guest-virtual memory from `va` to its page's end, at most *len; NULL: a miss, or no RAM. */
void *guest_part(const struct guest_paging *p, u64 va, bool write, u64 *len);
/*
 * Copy between `buf` and guest-virtual `va`, page by page. Returns the bytes copied,
 * fewer than `len` where a page misses or is not RAM.
 */
u64 guest_read_va(const struct guest_paging *p, u64 va, void *buf, u64 len);
u64 guest_write_va(const struct guest_paging *p, u64 va, const void *buf, u64 len);

#endif
