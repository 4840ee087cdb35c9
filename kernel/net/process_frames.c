/* SPDX-License-Identifier: MIT */
/* process_frames.c - what comes for processes; see process_port.h. */
#include <core/cpu.h>
#include <process/waiters.h>

#include "process_port.h"

/* A thread that has looked before this one has put is on the list by then (process_calls.c). */
static void wake(struct process_port *p)
{
    spin_lock_here(&p->process->lock);
    process_waiters_wake_here(p->process, process_port_word(p), 1);
    spin_unlock(&p->process->lock);
}

bool process_port_take(struct process_port *p, struct net_frame *f)
{
    u32 place = p->put % PORT_FRAMES;
    if (!p->runs || p->put - p->taken == PORT_FRAMES)
        return false;
    if (!net_frame_copy(f, p->ring + place * PORT_PLACE, f->length))
        return true; /* its sender has taken it back */
    p->length[place] = (u16)f->length;
    WRITE_ONCE(p->put, p->put + 1);
    *f->budget -= NET_WAKE_COST;
    wake(p);
    return true;
}
