/* SPDX-License-Identifier: MIT */
/* frames.c - a process's memory, frame by frame; see process.h. */
#include "process.h"

void process_frames_begin(struct process *p)
{
    u32 n = (u32)(p->size / PAGE_SIZE), used = (u32)((p->program.size + PROCESS_STACK) / PAGE_SIZE);
    p->free = FRAME_NONE;
    p->n_free = 0;
    while (n > used)
        process_frame_give(p, --n);
}

u32 process_frame_take(struct process *p)
{
    u32 frame = p->free;
    if (frame != FRAME_NONE) {
        p->free = p->next[frame];
        p->n_free--;
    }
    return frame;
}

void process_frame_give(struct process *p, u32 frame)
{
    p->next[frame] = p->free;
    p->free = frame;
    p->n_free++;
}
