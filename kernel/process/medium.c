/* SPDX-License-Identifier: MIT */
/*
 * medium.c - medium pages (64 KiB): SPACE_GROUP frames that follow each other and are aligned, and as many equal
 * entries in a table of small pages. A processor keeps one translation for all of it, as for a large page; but it fits
 * where no large one does, and beside small ones.
 *
 * Each of its frames has a state of its own, as that of a small page: used once, and pinned (pin.c) one by one. Its
 * frames come out of the middle of a run's list of free ones, so the list is walked: as long as it can be, 512 frames
 * and twice, with interrupts off. From run to run they are on. Whole runs are cut last.
 *
 * Its entries are read and written under one lock, so whoever has the lock finds all of them equal. Between two of
 * these stores a processor may find some of either kind, and then one of both translations holds for the page until the
 * flush that follows (Svnapot, 5.1).
 */
#include "medium.h"

#include <errors.h>

_Static_assert(SPACE_MEDIUM == SPACE_GROUP * PAGE_SIZE, "a medium page is a group of entries");
#define GROUPS (RUN_FRAMES / SPACE_GROUP)

bool process_medium_fits(const space_entry_t *entry)
{
    for (unsigned i = 0; i < SPACE_GROUP; i++)
        if (entry[i])
            return false;
    return true;
}

/* The group of its run that a frame is in. */
static u32 group_of(const struct process *p, u32 frame) { return (p->skew + frame) % RUN_FRAMES / SPACE_GROUP; }

/* Return a frame of a run's group of which all are free, or FRAME_NONE. */
static u32 find_group(const struct process *p, const struct process_run *r)
{
    u8 n[GROUPS] = { 0 };
    u32 frame = r->free;
    while (frame != FRAME_NONE && ++n[group_of(p, frame)] < SPACE_GROUP)
        frame = p->frame[frame];
    return frame;
}

/* Take a group of a run's free frames; each is used once. Returns the first one, or FRAME_NONE. */
static u32 take_group(struct process *p, struct process_run *r)
{
    u32 one = find_group(p, r), *from = &r->free;
    if (one == FRAME_NONE)
        return FRAME_NONE;
    for (unsigned left = SPACE_GROUP; left;) {
        u32 frame = *from;
        if (group_of(p, frame) == group_of(p, one)) {
            *from = p->frame[frame];
            p->frame[frame] = FRAME_USED + 1;
            left--;
        } else {
            from = &p->frame[frame];
        }
    }
    p->n_free -= SPACE_GROUP;
    if (r->n == RUN_FRAMES || r->n == SPACE_GROUP)
        list_remove(&r->link);
    if (r->n == RUN_FRAMES)
        list_push_back(&p->some, &r->link); /* single frames come from the others */
    r->n -= SPACE_GROUP;
    return one - (p->skew + one) % SPACE_GROUP;
}

/* Map one at `at`. *turn counts the runs that were asked, all of them twice: first those of which frames are used.
 * Returns its bytes; 0: once more, after a table was made or one run asked in vain; -EEXIST; -ENOMEM. Under the lock.
 */
static s64 map_one(struct process *p, u64 at, u32 *turn)
{
    u64 size;
    space_entry_t *entry = space_walk(&p->space, at, &size);
    if (size == PAGE_SIZE ? !process_medium_fits(entry) : *entry != 0)
        return -EEXIST;
    u32 frame = FRAME_NONE, runs = process_runs(p);
    if (size > PAGE_SIZE) {
        frame = process_frame_alloc(p);
        if (frame == FRAME_NONE)
            return -ENOMEM;
        process_frame_map(p, entry, size, frame, 0);
        return 0;
    }
    if (*turn == 2 * runs || p->n_free < SPACE_GROUP)
        return -ENOMEM;
    struct process_run *r = &p->run[*turn % runs];
    if (r->n >= SPACE_GROUP && r->n < RUN_FRAMES + (*turn >= runs)) /* and not FRAME_USED + something */
        frame = take_group(p, r);
    *turn += frame == FRAME_NONE;
    for (unsigned i = 0; i < SPACE_GROUP && frame != FRAME_NONE; i++)
        __atomic_store_n(&entry[i], space_medium_of(process_frame_address(p, frame), SPACE_WRITE), __ATOMIC_RELEASE);
    return frame == FRAME_NONE ? 0 : (s64)SPACE_MEDIUM;
}

int process_medium_map(struct process_thread *t, u64 *at, u64 end)
{
    struct process *p = t->process;
    s64 done = 0;
    for (u32 turn = 0; *at < end && !READ_ONCE(t->thread->stop); *at += (u64)done) {
        unsigned long flags = spin_lock_irqsave(&p->lock);
        user_refresh(&t->user);
        p->has_medium = true;
        done = map_one(p, *at, &turn);
        spin_unlock_irqrestore(&p->lock, flags);
        if (done < 0)
            return (int)done;
    }
    return 0;
}

/* A step, for the first of a medium page's entries and its first frame. Returns 0 or an error. Under the lock. */
typedef int whole_step(struct process *p, space_entry_t *entry, u32 frame, u32 *arg);

static int with_whole(struct process_thread *t, u64 *at, u64 end, whole_step *step, u32 *arg)
{
    struct process *p = t->process;
    u64 size;
    int err = 0;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    space_entry_t *entry = space_walk(&p->space, *at, &size);
    if (size == PAGE_SIZE && space_is_medium(*entry)) {
        bool cut = *at & (SPACE_MEDIUM - 1) || end - *at < SPACE_MEDIUM;
        err = cut ? -EINVAL : step(p, entry, process_frame_at(p, *entry, *at), arg);
        *at += err ? 0 : SPACE_MEDIUM;
    }
    spin_unlock_irqrestore(&p->lock, flags);
    return err;
}

static int unmap_whole(struct process *p, space_entry_t *entry, u32 frame, u32 *gone)
{
    for (unsigned i = 0; i < SPACE_GROUP; i++)
        process_frame_unmap(p, &entry[i], frame + i, gone);
    return 0;
}

static int check_whole(struct process *p, space_entry_t *entry, u32 frame, u32 *rights)
{
    for (unsigned i = 0; i < SPACE_GROUP && *rights & SPACE_EXEC; i++)
        if (p->frame[frame + i] != FRAME_USED + 1)
            return -EACCES;
    return 0;
}

static int protect_whole(struct process *p, space_entry_t *entry, u32 frame, u32 *rights)
{
    int err = check_whole(p, entry, frame, rights);
    for (unsigned i = 0; i < SPACE_GROUP && !err; i++)
        __atomic_store_n(&entry[i], space_with(entry[i], *rights), __ATOMIC_RELAXED);
    return err;
}

int process_medium_unmap(struct process_thread *t, u64 *at, u64 end, u32 *gone)
{
    return with_whole(t, at, end, unmap_whole, gone);
}

int process_medium_check(struct process_thread *t, u64 *at, u64 end, u32 *rights)
{
    return with_whole(t, at, end, check_whole, rights);
}

int process_medium_protect(struct process_thread *t, u64 *at, u64 end, u32 *rights)
{
    return with_whole(t, at, end, protect_whole, rights);
}
