/* SPDX-License-Identifier: MIT */
/*
 * core/frames.h - physical memory, in pages.  First fit over a sorted list of
 * free ranges: allocation happens at boot and at domain creation only.
 *
 * Where systems come and go, so may memory: whoever gave a range gets it back by
 * frames_take() when all of it is free.  The kernel's own needs are met from other memory
 * as long as there is some.  What a domain had is overwritten when it is freed.
 */
#ifndef AMALGAM_CORE_FRAMES_H
#define AMALGAM_CORE_FRAMES_H

#include <types.h>

/* Give the allocator a RAM range (boot; overlapping and unaligned ranges are trimmed). */
void frames_add(paddr_t base, u64 size);
/* Take a range out (the image, the system image, tables); what lies outside RAM is ignored. */
void frames_reserve(paddr_t base, u64 size);
/* `count` contiguous pages aligned to `align` bytes (power of two >= PAGE_SIZE). (paddr_t)-1 when used up. Not cleared.
 */
paddr_t frames_alloc(u64 count, u64 align);
/* At most *count pages, a multiple of `align`, out of the longest run that is free and aligned: *count becomes how
 * many, (paddr_t)-1 when there is none. Where memory was given at run time, of that only. Not cleared. */
paddr_t frames_alloc_longest(u64 *count, u64 align);
void frames_free(paddr_t base, u64 count);
/* Pages of zeros. What is zero already is only read: nothing is known of memory that we get, and nobody is made to back
 * what nobody has used (an emulator's host, a hypervisor below). Preemptible where its caller is. */
void clear_pages(void *at, u64 count);
/* Overwrite, then free: what a domain could write. Thread context. */
void frames_clean(paddr_t base, u64 count);
/* A range more, at run time: -EINVAL not whole pages, -EEXIST some of it is free memory already, -ENOSPC too many
 * ranges. That none of it is in use is the caller's to know. Any context, as the next two. */
int frames_give(paddr_t base, u64 size);
/* Give back what frames_give() got, with what is in it: -EBUSY unless all of it is free, -EINVAL no such range,
 * -ENOSPC. */
int frames_take(paddr_t base, u64 size);
/* Allocate just these pages, as frames_free() will get them: -EBUSY unless all are free, -EINVAL, -ENOSPC. */
int frames_claim(paddr_t base, u64 size);
/* Contiguous cleared pages, one cleared page, as a pointer; NULL when used up. */
void *pages_alloc(u64 count);
void *page_alloc(void);
void page_free(void *page);
void page_clean(void *page); /* overwritten first; NULL is nothing */
u64 frames_free_bytes(void);
/* The free ranges: up to `max` of them into `list`. How many there are. */
struct frames_range {
    paddr_t base, end;
};
unsigned frames_list(struct frames_range *list, unsigned max);

#endif
