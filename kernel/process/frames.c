/* SPDX-License-Identifier: MIT */
/* frames.c - the frames of a process's memory; see process.h. */
#include "process.h"

void process_frames_init(struct process *p)
{
    u32 n = (u32)(p->size / PAGE_SIZE), used = (u32)((p->program.size + PROCESS_STACK + p->files_pages) / PAGE_SIZE);
    p->free = FRAME_NONE;
    p->n_free = p->promised = 0;
    while (n > used)
        process_frame_free(p, --n);
    while (n)
        p->frame[--n] = FRAME_USED + 1;
}

u32 process_frame_alloc(struct process *p)
{
    u32 frame = p->n_free ? p->free : FRAME_NONE;
    if (frame != FRAME_NONE) {
        p->free = p->frame[frame];
        p->frame[frame] = FRAME_USED;
        p->n_free--;
    }
    return frame;
}

void process_frame_free(struct process *p, u32 frame)
{
    p->frame[frame] = p->free;
    p->free = frame;
    p->n_free++;
}

void process_frame_map(struct process *p, space_entry_t *entry, u64 size, u32 frame, unsigned rights)
{
    paddr_t pa = process_frame_address(p, frame);
    bool page = size == PAGE_SIZE;
    p->frame[frame] += page;
    __atomic_store_n(entry, page ? space_entry_of(pa, rights) : space_table_of(pa), __ATOMIC_RELEASE);
}
