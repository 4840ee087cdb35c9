/* SPDX-License-Identifier: MIT */
/*
 * frame.c - frames of the process's memory, by numbers of the program's own: the lowest free one is given, from
 * frame_id_to_num(0) on, as Nanvix gives them. The kernel's number of each is in a table, whose pages are mapped when
 * they are needed first.
 *
 * The kernel knows whether the process holds a number of its, and not for what: page_link() holds one for a moment, too
 * (page.c). So that lets it go here.
 */
#include <nanvix/sys/frame.h>

#include "nanvix.h"

#define PER_PAGE (PAGE_SIZE / sizeof(uint32_t))
#define FIRST    frame_id_to_num(0)

static uint32_t *table[NUM_UFRAMES / PER_PAGE]; /* of each number the kernel's, plus 1; 0: it is free */
static frame_t free_from;                       /* none below is free */
static frame_t end;                             /* from here on all are */
static uint32_t lock;                           /* of all three */

/* Returns the entry of number `n`, or NULL: its page is not mapped. */
static uint32_t *entry_of(frame_t n)
{
    uint32_t *page = table[n / PER_PAGE];
    return page ? &page[n % PER_PAGE] : NULL;
}

/* Returns the lowest free number's entry, and the number in *n; NULL: there is no memory for it, or no number. */
static uint32_t *free_entry(frame_t *n)
{
    while (free_from < end && *entry_of(free_from))
        free_from++;
    *n = free_from;
    if (*n == NUM_UFRAMES)
        return NULL;
    if (!entry_of(*n)) {
        int64_t page = amalgam_map(NULL, PAGE_SIZE, AMALGAM_MAP_WRITE);
        table[*n / PER_PAGE] = page < 0 ? NULL : (uint32_t *)(uintptr_t)page;
    }
    return entry_of(*n);
}

frame_t kframe_alloc(void)
{
    frame_t n, given = FRAME_NULL;
    nanvix_lock_take(&lock);
    uint32_t *entry = free_entry(&n);
    int64_t frame = entry ? amalgam_frame_alloc() : -1;
    if (frame >= 0) {
        *entry = (uint32_t)frame + 1;
        end = end > n ? end : n + 1;
        given = FIRST + n;
    }
    nanvix_lock_drop(&lock);
    return given;
}

int64_t nanvix_frame(frame_t frame)
{
    nanvix_lock_take(&lock);
    frame_t n = frame - FIRST; /* a lower one becomes a large one */
    int64_t found = n < end ? (int64_t)*entry_of(n) - 1 : -1;
    nanvix_lock_drop(&lock);
    return found;
}

void nanvix_frame_let_go(uint32_t frame)
{
    bool held = false;
    nanvix_lock_take(&lock);
    for (frame_t n = 0; n < end && !held; n++)
        held = *entry_of(n) == frame + 1;
    if (!held) /* under the lock: or another thread might be given this number in between */
        amalgam_frame_free(frame);
    nanvix_lock_drop(&lock);
}

int kframe_free(frame_t frame)
{
    int error = -EFAULT;
    frame_t n = frame - FIRST;
    if (n >= NUM_UFRAMES)
        return -EINVAL;
    nanvix_lock_take(&lock);
    if (n < end && *entry_of(n)) {
        error = (int)nanvix_result(amalgam_frame_free(*entry_of(n) - 1));
        *entry_of(n) = 0;
        free_from = free_from < n ? free_from : n;
    }
    nanvix_lock_drop(&lock);
    return error;
}
