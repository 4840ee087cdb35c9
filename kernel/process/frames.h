/* SPDX-License-Identifier: MIT */
/* frames.h - the frames of a process's memory, and the runs of which large pages are made (frames.c). */
#ifndef AMALGAM_PROCESS_FRAMES_H
#define AMALGAM_PROCESS_FRAMES_H

#include "process.h"

/* State of a frame. Used: FRAME_USED + the number of pages that map it (0: it is a table) + FRAME_HELD if the program
 * holds its number. Not used any more, and not cleared yet: FRAME_USED + the number of the next one that its thread
 * clears. Free, or part of a large page: the number of the next free frame of its run. */
#define FRAME_USED 0x80000000u
#define FRAME_HELD 0x40000000u
#define FRAME_NONE 0x7fffffffu /* no frame's number */
#define FRAME_LAST 0x3fffffffu /* in place of a next one to clear */

/* A run: the frames of the memory that one large page could map; all frames where there are no large pages. */
#define RUN_FRAMES (SPACE_LARGE ? (u32)(SPACE_LARGE / PAGE_SIZE) : 1u)
struct process_run {
    struct list link; /* in process.whole or process.some; in neither while none of its frames is free */
    u32 free;         /* first free frame */
    u32 n;            /* free frames; of a large page: FRAME_USED + the number of pages that map it and of pins */
};

/* Initialize the frames of a process that does not run: all are free but those of image, stack and files (frames.c). */
void process_frames_init(struct process *p);
/* Allocate a free frame that is not promised. Returns its number, or FRAME_NONE. Under process.lock. */
u32 process_frame_alloc(struct process *p);
/* Free a frame, which has to be zero. Under process.lock. */
void process_frame_free(struct process *p, u32 frame);
/* Allocate a free run for a large page, used once. Returns its first frame, or FRAME_NONE. Under process.lock. */
u32 process_large_alloc(struct process *p);
/* Clear and free a frame, or its large page, which nothing uses and no core remembers. No lock held. */
void process_frame_clean(struct process *p, u32 frame);
static inline struct process_run *process_run_of(const struct process *p, u32 frame)
{
    return &p->run[SPACE_LARGE ? (p->skew + frame) / RUN_FRAMES : 0];
}
static inline u32 process_runs(const struct process *p)
{
    return SPACE_LARGE ? (u32)(p->skew + p->size / PAGE_SIZE - 1) / RUN_FRAMES + 1 : 1;
}
/* Return where the uses of a frame that is in use are counted: its state, or its large page's n. Under process.lock. */
static inline u32 *process_uses(struct process *p, u32 frame)
{
    struct process_run *r = process_run_of(p, frame);
    return SPACE_LARGE && r->n & FRAME_USED ? &r->n : &p->frame[frame];
}
/* Return the number of the frame that the entry of a page maps. */
static inline __attribute__((always_inline)) u32 process_frame_of(const struct process *p, space_entry_t entry)
{
    return (u32)((space_frame(entry) - p->memory) >> PAGE_SHIFT);
}
/* Clear the entry of a page of frame `frame`. If nothing maps or holds that any more, put it onto the list *gone of
 * frames to clear, whose end is FRAME_LAST. Under the lock. */
static inline void process_frame_unmap(struct process *p, space_entry_t *entry, u32 frame, u32 *gone)
{
    __atomic_store_n(entry, 0, __ATOMIC_RELAXED);
    if (--p->frame[frame] == FRAME_USED) {
        p->frame[frame] = FRAME_USED + *gone;
        *gone = frame;
    }
}

/* Set `entry`: it maps frame `frame` if it is the entry of a page (`size`), otherwise the frame becomes the missing
 * table. Under the lock. */
void process_frame_map(struct process *p, space_entry_t *entry, u64 size, u32 frame, unsigned rights);

static inline paddr_t process_frame_address(const struct process *p, u32 frame)
{
    return p->memory + ((paddr_t)frame << PAGE_SHIFT);
}

#endif
