/* SPDX-License-Identifier: MIT */
/*
 * frame_calls.c - the calls that name a frame by its number. A program that holds the number may map the frame at
 * several addresses. An executable page is mapped once, and its frame has no number, nor have those of a
 * large or medium page.
 */
#include <errors.h>
#include <generated/process_calls.h>

#include "frames.h"
#include "memory.h"
#include "pages.h"

_Static_assert(PROCESS_CALL_FRAME_MAP_WRITE == SPACE_WRITE, "rights of a page");

s64 process_call_frame_alloc(struct process_thread *t)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    u32 frame = process_frame_alloc(p);
    if (frame != FRAME_NONE)
        p->frame[frame] |= FRAME_HELD;
    spin_unlock_irqrestore(&p->lock, flags);
    return frame == FRAME_NONE ? -ENOMEM : (s64)frame;
}

/* Returns whether the program holds the number. Under the lock. */
static bool held(const struct process *p, u32 frame)
{
    return frame < p->size / PAGE_SIZE && p->frame[frame] >= (FRAME_USED | FRAME_HELD);
}

s64 process_call_frame_free(struct process_thread *t, u32 frame)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    int err = held(p, frame) ? 0 : -ENOENT;
    if (!err)
        p->frame[frame] &= ~FRAME_HELD;
    bool last = !err && p->frame[frame] == FRAME_USED;
    spin_unlock_irqrestore(&p->lock, flags);
    if (last) { /* another thread's unmap() may have removed the last page that maps it, and not have flushed yet */
        process_flush(p, t);
        process_frame_clean(p, frame);
    }
    return err;
}

/* Map the frame at `address`; frames for missing tables are taken first. Under the lock. */
static int map_frame(struct process *p, u64 address, u32 frame, u32 rights)
{
    u64 size;
    space_entry_t *entry;
    if (!held(p, frame))
        return -ENOENT;
    while (entry = space_walk(&p->space, address, &size), size > PAGE_SIZE && !*entry) {
        u32 table = process_frame_alloc(p);
        if (table == FRAME_NONE)
            return -ENOMEM;
        process_frame_map(p, entry, size, table, 0);
    }
    if (*entry)
        return -EEXIST;
    process_frame_map(p, entry, size, frame, rights);
    return 0;
}

s64 process_call_frame_map(struct process_thread *t, u64 address, u32 frame, u32 protection)
{
    struct process *p = t->process;
    int err = process_check_pages(address, PAGE_SIZE);
    if (err)
        return err;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    err = map_frame(p, address, frame, protection);
    spin_unlock_irqrestore(&p->lock, flags);
    if (!err && SPACE_RECALLS_NOTHING)
        user_forget(&t->user);
    return err;
}

s64 process_call_frame_of(struct process_thread *t, u64 address)
{
    struct process *p = t->process;
    s64 frame = process_check_pages(address, PAGE_SIZE);
    if (frame)
        return frame;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    u64 size;
    const space_entry_t *entry = space_walk(&p->space, address, &size);
    if (!*entry)
        frame = -EFAULT;
    else if (size > PAGE_SIZE || space_is_medium(*entry) || space_rights(*entry) & SPACE_EXEC)
        frame = -EACCES;
    else
        process_give(t, address, 0), p->frame[frame = process_frame_of(p, *entry)] |= FRAME_HELD;
    spin_unlock_irqrestore(&p->lock, flags);
    return frame;
}
