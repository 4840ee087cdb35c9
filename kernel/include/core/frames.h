/* SPDX-License-Identifier: MIT */
/*
 * core/frames.h - physical memory, in pages.  First fit over a sorted list of
 * free ranges: allocation happens at boot and at domain creation only.
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
void frames_free(paddr_t base, u64 count);
/* One cleared page, as a pointer; NULL when used up. */
void *page_alloc(void);
void page_free(void *page);
u64 frames_free_bytes(void);

#endif
