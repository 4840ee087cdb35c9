/* SPDX-License-Identifier: MIT */
/*
 * core/frames.h - the allocator of physical memory, in pages: first fit over a sorted list of free ranges. Memory is
 * allocated at boot and when a domain is created, never later.
 *
 * Where systems come and go, memory may, too: a range of frames_give() can be taken back by frames_take() when all of
 * it is free. The kernel's own memory comes from other ranges as long as these suffice. A domain's memory is
 * overwritten when it is freed.
 */
#ifndef AMALGAM_CORE_FRAMES_H
#define AMALGAM_CORE_FRAMES_H

#include <types.h>

/* Add a RAM range. Unaligned ends are trimmed; ranges may overlap. Boot. */
void frames_add(paddr_t base, u64 size);
/* Remove a range (the kernel's image, the system image, tables) from the free memory. Parts outside RAM are ignored.
 * Boot. */
void frames_reserve(paddr_t base, u64 size);
/* Free memory from `from` on is zero: it was not used since a reset that clears it. Such pages are not cleared again
 * when they are allocated for the first time. Boot. */
void frames_are_zero(paddr_t from);
/* frames.c's: [base, end) is used, or was. Returns whether it is zero. Under its lock. */
bool frames_note_use(paddr_t base, paddr_t end);
/* Allocate `count` contiguous pages aligned to `align` bytes (a power of two, at least PAGE_SIZE). Returns their
 * address, or (paddr_t)-1 when memory is used up. They are not cleared. */
paddr_t frames_alloc(u64 count, u64 align);
/* The same, and cleared as clear_pages() does. */
paddr_t frames_alloc_clean(u64 count, u64 align);
/* Allocate at most *count pages, a multiple of `align` bytes, from the longest free run. *count becomes the number of
 * pages. Returns their address, or (paddr_t)-1 if there are none. If memory was given at run time, only that memory
 * is used. They are not cleared. */
paddr_t frames_alloc_longest(u64 *count, u64 align);
void frames_free(paddr_t base, u64 count);
/* Clear pages. A page that is zero already is only read, so that an emulator's host or a hypervisor below need not
 * back memory that has never been used. Preemptible if its caller is. */
void clear_pages(void *at, u64 count);
/* Overwrite and free pages that a domain could write. Thread context. */
void frames_clean(paddr_t base, u64 count);
/* Add a range at run time. The caller knows that none of it is in use. Returns 0; -EINVAL: not whole pages; -EEXIST:
 * some of it is free memory already; -ENOSPC: too many ranges. Any context, as the next two. */
int frames_give(paddr_t base, u64 size);
/* Remove a range of frames_give(); its contents stay. Returns 0; -EBUSY: not all of it is free; -EINVAL: no such
 * range; -ENOSPC. */
int frames_take(paddr_t base, u64 size);
/* Allocate exactly these pages; frames_free() frees them. Returns 0; -EBUSY: not all of them are free; -EINVAL;
 * -ENOSPC. */
int frames_claim(paddr_t base, u64 size);
/* Allocate contiguous cleared pages, or one; NULL when memory is used up. */
void *pages_alloc(u64 count);
void *page_alloc(void);
void page_free(void *page);
void page_clean(void *page); /* overwrite, then free; NULL is allowed */
u64 frames_free_bytes(void);
/* Copy at most `max` free ranges into `list`. Returns how many ranges there are. */
struct frames_range {
    paddr_t base, end;
};
unsigned frames_list(struct frames_range *list, unsigned max);

#endif
