/* SPDX-License-Identifier: MIT */
/*
 * map.c - the calls map, unmap and protect.
 *
 * A range is handled in batches of entries, each with interrupts off and under the process's lock. If several threads
 * change the same pages at once, each of them gets some; only their own process is affected. A page is unmapped in
 * three steps: clear its entry, flush it on every core that may have cached it (flush.c), and only then clear and free
 * its frame.
 *
 * No other core is interrupted because a page was mapped. One that recalls that there was none faults once, and forgets
 * it then (lazy.c).
 */
#include <errors.h>
#include <generated/process_calls.h>

#include "frames.h"
#include "medium.h"
#include "memory.h"

#define BATCH 16 /* entries that are handled with interrupts off */

_Static_assert(PROCESS_CALL_MAP_WRITE == SPACE_WRITE && PROCESS_CALL_MAP_EXEC == SPACE_EXEC, "rights of a page");
_Static_assert(PROCESS_CALL_PROTECT_WRITE == SPACE_WRITE && PROCESS_CALL_PROTECT_EXEC == SPACE_EXEC,
               "rights of a page");

/* Handle an entry that maps `size` bytes; 0: the range ends within its large page. Returns how many of them are done,
 * or an error. Under the lock. */
typedef s64 entry_step(struct process *p, space_entry_t *entry, u64 size, u32 *arg);

int process_check_pages(u64 address, u64 size)
{
    if (!size || !IS_ALIGNED(address | size, PAGE_SIZE))
        return -EINVAL;
    return address >= USER_BASE && address < PROCESS_PARTS && size <= PROCESS_PARTS - address ? 0 : -EFAULT;
}

/* Call `step` for the entries of [*at, end); *at stops at the one that failed. Returns 0 or its error. A thread that
 * has to end leaves the rest undone, and gets 0. */
static int for_entries(struct process_thread *t, u64 *at, u64 end, entry_step *step, u32 *arg)
{
    struct process *p = t->process;
    s64 done = 0;
    while (*at < end && done >= 0 && !READ_ONCE(t->thread->stop)) {
        unsigned long flags = spin_lock_irqsave(&p->lock);
        if (!REMOTE_ALL) /* else this is not its core */
            user_refresh(&t->user);
        for (unsigned i = 0; i < BATCH && *at < end && done >= 0; i++) {
            u64 size;
            space_entry_t *entry = space_walk(&p->space, *at, &size);
            bool cut = size == SPACE_LARGE && *entry && (*at & (size - 1) || end - *at < size);
            done = step(p, entry, SPACE_LARGE && cut ? 0 : size, arg);
            if (done > 0)
                *at = ALIGN_DOWN(*at, size) + size;
        }
        spin_unlock_irqrestore(&p->lock, flags);
    }
    return done < 0 ? (int)done : 0;
}

/* The same, also of medium pages: for them steps return -EBUSY, and `whole` does it. */
static inline __attribute__((always_inline)) int for_pages(struct process_thread *t, u64 *at, u64 end, entry_step *step,
                                                           process_medium_step *whole, u32 *arg)
{
    int err;
    do
        err = for_entries(t, at, end, step, arg);
    while (SPACE_MEDIUM && unlikely(err == -EBUSY) && !(err = whole(t, at, end, arg)));
    return err;
}

/* Unmap a page; a frame that nothing maps or holds any more comes onto the list *gone. A large page is hidden, and the
 * range is left there by -EAGAIN. */
static s64 unmap_step(struct process *p, space_entry_t *entry, u64 size, u32 *gone)
{
    if (size == PAGE_SIZE && *entry && space_is_lazy(*entry)) {
        *entry = 0;
        p->promised--;
        p->n_free++;
    } else if (size == PAGE_SIZE && *entry) {
        if (space_is_medium(*entry))
            return -EBUSY;
        process_frame_unmap(p, entry, process_frame_of(p, *entry), gone);
    } else if (SPACE_LARGE && !size) {
        return -EINVAL;
    } else if (SPACE_LARGE && *entry && !space_is_lazy(*entry)) {
        __atomic_store_n(entry, space_hidden(*entry), __ATOMIC_RELAXED);
        return -EAGAIN;
    }
    return (s64)size;
}

/* Unmap the large page at `at`, which is hidden. Until no core remembers it its entry is taken: a processor that found
 * the large page and small ones at one address might stop (AMD's erratum 383). */
static __cold __noinline void drop_large(struct process_thread *t, u64 at)
{
    struct process *p = t->process;
    u64 size;
    space_entry_t *entry = space_walk(&p->space, at, &size);
    u32 frame = process_frame_of(p, *entry);
    process_flush(p, t);
    unsigned long flags = spin_lock_irqsave(&p->lock);
    bool last = --*process_uses(p, frame) == FRAME_USED;
    spin_unlock_irqrestore(&p->lock, flags);
    if (last)
        process_frame_clean(p, frame);
    __atomic_store_n(entry, 0, __ATOMIC_RELAXED);
}

static int unmap(struct process_thread *t, u64 at, u64 end)
{
    struct process *p = t->process;
    u32 gone = FRAME_LAST;
    u64 from = MAX(at - PAGE_SIZE, p->heap_end);
    int err;
    while ((err = for_pages(t, &at, end, unmap_step, process_medium_unmap, &gone)) == -EAGAIN) {
        drop_large(t, at);
        at += SPACE_LARGE;
    }
    process_flush(p, t);
    unsigned long flags = spin_lock_irqsave(&p->lock);
    p->map_hint = MIN(p->map_hint, from);
    spin_unlock_irqrestore(&p->lock, flags);
    while (gone != FRAME_LAST && !READ_ONCE(t->thread->stop)) {
        u32 frame = gone;
        gone = p->frame[frame] - FRAME_USED;
        process_frame_clean(p, frame);
    }
    return err;
}

/* Map a lazy page: any free frame is promised to it. */
static s64 promise(struct process *p, space_entry_t *entry)
{
    if (!p->n_free)
        return -ENOMEM;
    p->n_free--;
    p->promised++;
    *entry = space_lazy_of(p->memory, SPACE_WRITE);
    return PAGE_SIZE;
}

/* Map a large page where no table is. */
static s64 map_large(struct process *p, space_entry_t *entry, u64 size)
{
    u32 frame = size == SPACE_LARGE ? process_large_alloc(p) : FRAME_NONE;
    if (frame == FRAME_NONE)
        return size == SPACE_LARGE ? -ENOMEM : -EEXIST;
    __atomic_store_n(entry, space_large_of(process_frame_address(p, frame), SPACE_WRITE), __ATOMIC_RELEASE);
    return (s64)size;
}

/* Map a page, or first the missing table. */
static s64 map_step(struct process *p, space_entry_t *entry, u64 size, u32 *rights)
{
    if (*entry)
        return -EEXIST;
    if (SPACE_LARGE && *rights == PROCESS_CALL_MAP_LARGE && size <= SPACE_LARGE)
        return map_large(p, entry, size);
    if (size == PAGE_SIZE && *rights == PROCESS_CALL_MAP_LAZY)
        return promise(p, entry);
    u32 frame = process_frame_alloc(p);
    if (frame == FRAME_NONE)
        return -ENOMEM;
    process_frame_map(p, entry, size, frame, *rights);
    return size == PAGE_SIZE ? (s64)PAGE_SIZE : 0;
}

static int map(struct process_thread *t, u64 address, u64 size, u32 rights)
{
    u64 at = address;
    bool medium = SPACE_MEDIUM && unlikely(rights == PROCESS_CALL_MAP_64K);
    int err =
        medium ? process_medium_map(t, &at, address + size) : for_entries(t, &at, address + size, map_step, &rights);
    if (err)
        unmap(t, address, at);
    else if (SPACE_RECALLS_NOTHING)
        user_forget(&t->user);
    return err;
}

/* Return the first address where `size` bytes, and a page on either side, are unmapped; 0: there is none. `page`: size
 * of these pages; for large ones there may be no tables. */
static u64 find_free(struct process *p, u64 size, u64 page)
{
    u64 from = READ_ONCE(p->map_hint), at = ALIGN_UP(from, page), start = at, first = 0, span;
    while (at - start < size + 2 * page && at < PROCESS_PARTS) {
        const space_entry_t *entry = space_walk(&p->space, at, &span);
        bool taken = *entry || (span < page && !(SPACE_MEDIUM && page == SPACE_MEDIUM && process_medium_fits(entry)));
        if (!taken && !first)
            first = at;
        span = MAX(span, page);
        at = ALIGN_DOWN(at, span) + span;
        if (taken)
            start = at;
    }
    if (start + size + 2 * page > PROCESS_PARTS) /* `at` may be far beyond: an empty entry can span a GiB */
        return 0;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    if (page == PAGE_SIZE && p->map_hint == from)
        p->map_hint = start == first ? start + PAGE_SIZE + size : first;
    spin_unlock_irqrestore(&p->lock, flags);
    return start + page;
}

/* Returns the size of the pages that map() is to map; 0: there are none. */
static inline u64 page_of(u32 protection)
{
    if (likely(protection < PROCESS_CALL_MAP_LARGE))
        return PAGE_SIZE;
    if (protection == PROCESS_CALL_MAP_LARGE)
        return SPACE_LARGE;
    return SPACE_MEDIUM && space_has_medium() ? SPACE_MEDIUM : 0;
}

s64 process_call_map(struct process_thread *t, u64 address, u64 size, u32 protection)
{
    struct process *p = t->process;
    u64 page = page_of(protection);
    if (!page)
        return -EOPNOTSUPP;
    int err = IS_ALIGNED(address | size, page) ? process_check_pages(address ? address : USER_BASE, size) : -EINVAL;
    if (!err && size > (u64)READ_ONCE(p->n_free) << PAGE_SHIFT)
        err = -ENOMEM;
    if (err)
        return err;
    if (address) {
        err = map(t, address, size, protection);
        return err ? err : (s64)address;
    }
    do { /* repeat if another thread has mapped something there meanwhile */
        address = find_free(p, size, page);
        err = address ? map(t, address, size, protection) : -ENOMEM;
    } while (err == -EEXIST && !READ_ONCE(t->thread->stop));
    return err ? err : (s64)address;
}

/* Returns whether `at` lies within a large or a medium page. */
static __noinline bool cuts(const struct process *p, u64 at)
{
    u64 size;
    space_entry_t e = *space_walk(&p->space, at, &size);
    return e && at & ((space_is_medium(e) ? SPACE_MEDIUM : size) - 1);
}

s64 process_call_unmap(struct process_thread *t, u64 address, u64 size)
{
    int err = process_check_pages(address, size);
    bool may_cut = t->process->n_large || (SPACE_MEDIUM && t->process->has_medium);
    if (!err && may_cut && (cuts(t->process, address) || cuts(t->process, address + size)))
        err = -EINVAL;
    return err ? err : unmap(t, address, address + size);
}

static s64 check_step(struct process *p, space_entry_t *entry, u64 size, u32 *rights)
{
    if (!*entry || (size > PAGE_SIZE && space_is_lazy(*entry)))
        return -EFAULT;
    if (SPACE_LARGE && !size)
        return -EINVAL;
    if (space_is_medium(*entry))
        return -EBUSY;
    if (*rights & SPACE_EXEC && !space_is_lazy(*entry) &&
        *process_uses(p, process_frame_of(p, *entry)) != FRAME_USED + 1)
        return -EACCES;
    return (s64)size;
}

static s64 protect_step(struct process *p, space_entry_t *entry, u64 size, u32 *rights)
{
    s64 done = check_step(p, entry, size, rights);
    if (done > 0)
        __atomic_store_n(entry, space_with(*entry, *rights), __ATOMIC_RELAXED);
    return done;
}

s64 process_call_protect(struct process_thread *t, u64 address, u64 size, u32 protection)
{
    u64 at = address;
    int err = process_check_pages(address, size);
    if (!err)
        err = for_pages(t, &at, address + size, check_step, process_medium_check, &protection);
    at = address;
    if (!err)
        err = for_pages(t, &at, address + size, protect_step, process_medium_protect, &protection);
    if (at > address)
        process_flush(t->process, t);
    return err;
}
