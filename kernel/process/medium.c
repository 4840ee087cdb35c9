/* SPDX-License-Identifier: MIT */
/*
 * medium.c - medium pages (64 KiB): SPACE_GROUP frames that follow each other and are aligned, and as many equal
 * entries in a table of small pages. A processor keeps one translation for all of it, as for a large page; but it fits
 * where no large one does, and beside small ones.
 *
 * Each of its frames has a state of its own, as that of a small page: used once, and pinned (pin.c) one by one. Its
 * frames come out of the middle of a run's list of free ones, so the list is walked: as long as it can be, 512 frames,
 * with interrupts off. From run to run they are on. Whole runs are cut last.
 *
 * Its entries are read and written under one lock, so whoever has the lock finds all of them equal. Between two of
 * these stores a processor may find some of either kind, and then one of both translations holds for the page until the
 * flush that follows (Svnapot, 5.1).
 */
#include "frames.h"
#include "medium.h"

#include <errors.h>

_Static_assert(SPACE_MEDIUM == SPACE_GROUP * PAGE_SIZE, "a medium page is a group of entries");

bool process_medium_fits(const space_entry_t *entry)
{
    for (unsigned i = 0; i < SPACE_GROUP; i++)
        if (entry[i])
            return false;
    return true;
}

/* Return the first frame of a run's group of which all are free, or FRAME_NONE. Groups are aligned as a run is; the
 * first run may begin before frame 0 (process.skew), the last one end behind the last frame. */
static u32 find_group(const struct process *p, const struct process_run *r)
{
    u32 from = (u32)(r - p->run) * RUN_FRAMES, to = MIN(from + RUN_FRAMES, p->skew + (u32)(p->size / PAGE_SIZE)), n = 0;
    from = ALIGN_UP(MAX(from, p->skew), (u32)SPACE_GROUP);
    for (const u32 *at = &p->frame[from - p->skew], *end = &p->frame[to - p->skew]; at < end; at++) {
        n = *at & FRAME_USED ? 0 : n + 1;
        from++;
        if (n == SPACE_GROUP)
            return from - SPACE_GROUP - p->skew;
        if (!(from % SPACE_GROUP))
            n = 0;
    }
    return FRAME_NONE;
}

static bool is_free(const struct process *p, u32 group)
{
    for (unsigned i = 0; i < SPACE_GROUP; i++)
        if (p->frame[group + i] & FRAME_USED)
            return false;
    return true;
}

/* Take a group out of its run's list of free frames; each is used once. */
static void take_group(struct process *p, struct process_run *r, u32 one)
{
    u32 *from = &r->free;
    for (unsigned left = SPACE_GROUP; left;) {
        u32 frame = *from;
        if (frame - one < SPACE_GROUP) {
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
}

/* Where process_medium_map() is: how many runs it asked, all of them twice, first those of which frames are used; and
 * the group that it found in the present one. */
struct search {
    u32 turn, group;
};

/* Map one at `at`. Returns its bytes; 0: once more, after a table was made, one run was asked, or a group was found;
 * -EEXIST; -ENOMEM. Under the lock. */
static s64 map_one(struct process *p, u64 at, struct search *s)
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
    if (s->turn == 2 * runs || p->n_free < SPACE_GROUP)
        return -ENOMEM;
    struct process_run *r = &p->run[s->turn % runs];
    bool may = r->n >= SPACE_GROUP && r->n < RUN_FRAMES + (s->turn >= runs); /* and not FRAME_USED + something */
    if (s->group == FRAME_NONE) {
        s->group = may ? find_group(p, r) : FRAME_NONE;
        s->turn += s->group == FRAME_NONE;
        return 0;
    }
    u32 group = s->group;
    s->group = FRAME_NONE;
    if (!may || !is_free(p, group))
        return 0; /* taken meanwhile: look again */
    take_group(p, r, group);
    for (unsigned i = 0; i < SPACE_GROUP; i++)
        __atomic_store_n(&entry[i], space_medium_of(process_frame_address(p, group), SPACE_WRITE), __ATOMIC_RELEASE);
    return SPACE_MEDIUM;
}

int process_medium_map(struct process_thread *t, u64 *at, u64 end)
{
    struct process *p = t->process;
    s64 done = 0;
    struct search search = { 0, FRAME_NONE };
    for (; *at < end && !READ_ONCE(t->thread->stop); *at += (u64)done) {
        unsigned long flags = spin_lock_irqsave(&p->lock);
        if (!REMOTE_ALL)
            user_refresh(&t->user);
        p->has_medium = true;
        done = map_one(p, *at, &search);
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
