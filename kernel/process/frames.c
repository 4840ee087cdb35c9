/* SPDX-License-Identifier: MIT */
/*
 * frames.c - the frames of a process's memory; see process.h.
 *
 * Memory is cut into runs, each as large as a large page and aligned as one. A run has a list of its free frames.
 * Single frames come from runs that are used already as long as there are any, so that the others stay whole. A large
 * page takes all frames of a whole run, whose list stays as it is meanwhile: when the page is freed, its frames are.
 */
#include "frames.h"

#include <string.h>

void process_frames_init(struct process *p)
{
    u32 n = (u32)(p->size / PAGE_SIZE), used = (u32)((p->program.size + p->stack_size + p->files_pages) / PAGE_SIZE);
    p->n_free = p->promised = p->n_large = 0;
    list_init(&p->whole);
    list_init(&p->some);
    for (u32 i = process_runs(p); i--;)
        p->run[i] = (struct process_run){ .free = FRAME_NONE };
    while (n > used)
        process_frame_free(p, --n);
    while (n)
        p->frame[--n] = FRAME_USED + 1;
}

static __noinline void move(struct process_run *r, struct list *to)
{
    list_remove(&r->link);
    list_push_front(to, &r->link);
}

static struct process_run *first(const struct list *of) { return list_entry(of->next, struct process_run, link); }

u32 process_frame_alloc(struct process *p)
{
    if (!p->n_free)
        return FRAME_NONE;
    if (SPACE_LARGE && unlikely(list_empty(&p->some)))
        move(first(&p->whole), &p->some);
    struct process_run *r = first(&p->some);
    u32 frame = r->free;
    r->free = p->frame[frame];
    p->frame[frame] = FRAME_USED;
    p->n_free--;
    if (unlikely(!--r->n))
        list_remove(&r->link);
    return frame;
}

void process_frame_free(struct process *p, u32 frame)
{
    struct process_run *r = process_run_of(p, frame);
    p->frame[frame] = r->free;
    r->free = frame;
    p->n_free++;
    r->n++;
    if (unlikely(r->n == 1))
        list_push_front(&p->some, &r->link);
    else if (SPACE_LARGE && unlikely(r->n == RUN_FRAMES))
        move(r, &p->whole);
}

/* Of a whole run. */
static u32 first_frame(const struct process *p, const struct process_run *r)
{
    return (u32)(r - p->run) * RUN_FRAMES - p->skew;
}

u32 process_large_alloc(struct process *p)
{
    if (p->n_free < RUN_FRAMES || list_empty(&p->whole))
        return FRAME_NONE;
    struct process_run *r = first(&p->whole);
    list_remove(&r->link);
    r->n = FRAME_USED + 1;
    p->n_free -= RUN_FRAMES;
    p->n_large++;
    return first_frame(p, r);
}

static void free_large(struct process *p, struct process_run *r)
{
    r->n = RUN_FRAMES;
    p->n_free += RUN_FRAMES;
    p->n_large--;
    move(r, &p->whole); /* from no list */
}

void process_frame_clean(struct process *p, u32 frame)
{
    struct process_run *r = process_run_of(p, frame);
    bool large = SPACE_LARGE && r->n & FRAME_USED;
    if (large)
        memset(phys_to_virt(process_frame_address(p, first_frame(p, r))), 0, SPACE_LARGE);
    else
        memset(phys_to_virt(process_frame_address(p, frame)), 0, PAGE_SIZE);
    unsigned long flags = spin_lock_irqsave(&p->lock);
    if (large)
        free_large(p, r);
    else
        process_frame_free(p, frame);
    spin_unlock_irqrestore(&p->lock, flags);
}

void process_frame_map(struct process *p, space_entry_t *entry, u64 size, u32 frame, unsigned rights)
{
    paddr_t pa = process_frame_address(p, frame);
    bool page = size == PAGE_SIZE;
    p->frame[frame] += page;
    __atomic_store_n(entry, page ? space_entry_of(pa, rights) : space_table_of(pa), __ATOMIC_RELEASE);
}
