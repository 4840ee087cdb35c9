/* SPDX-License-Identifier: MIT */
/*
 * ring.h - bytes on their way to or between processes: pipe.c, input.c.
 *
 * Bytes are copied from and to a process's memory with interrupts on and no lock held, because a page may have to come
 * first. Meanwhile the ring is marked as being read, or written: another thread is told to try again (-EAGAIN), and is
 * woken when that is over. What was not copied is still there.
 */
#ifndef AMALGAM_SPAWN_RING_H
#define AMALGAM_SPAWN_RING_H

#include <errors.h>
#include <process/memory.h>

struct ring {
    struct spinlock lock;  /* all but the bytes that who reads or writes has marked */
    bool reading, writing; /* somebody does */
    u32 first, end;        /* bytes that were read, and written, in all: they come round */
    u32 room;              /* a power of two */
    u8 *bytes;
};

static inline u32 ring_used(const struct ring *r) { return r->end - r->first; }

/* Begin to read at most n bytes; under the lock. Returns how many; for n 0, which begins nothing, how many there are;
 * -EAGAIN. */
static inline s64 ring_begin_read(struct ring *r, u32 n)
{
    if (r->reading || !ring_used(r))
        return -EAGAIN;
    r->reading = n;
    return n ? MIN(n, ring_used(r)) : ring_used(r);
}

/* Copy what was begun to be read to the thread's memory, and end that. Returns n or -EFAULT. If the ring was emptied
 * meanwhile (input.c), it stays so. */
static inline s64 ring_read(struct ring *r, struct process_thread *t, u64 to, u32 n)
{
    u32 first = r->first, at = first & (r->room - 1), piece = MIN(n, r->room - at);
    bool wrong = process_write(t, to, r->bytes + at, piece) || process_write(t, to + piece, r->bytes, n - piece);
    unsigned long flags = spin_lock_irqsave(&r->lock);
    r->first += wrong || r->first != first ? 0 : n;
    r->reading = false;
    spin_unlock_irqrestore(&r->lock, flags);
    return wrong ? -EFAULT : (s64)n;
}

/* The same for writing. Up to `room` bytes are written as one piece, or not yet. */
static inline s64 ring_begin_write(struct ring *r, u32 n)
{
    u32 room = r->room - ring_used(r);
    if (r->writing || !room || (n <= r->room && n > room))
        return -EAGAIN;
    r->writing = n;
    return n ? MIN(n, room) : room;
}

static inline s64 ring_write(struct ring *r, struct process_thread *t, u64 from, u32 n)
{
    u32 at = r->end & (r->room - 1), piece = MIN(n, r->room - at);
    bool wrong = process_read(t, r->bytes + at, from, piece) || process_read(t, r->bytes, from + piece, n - piece);
    unsigned long flags = spin_lock_irqsave(&r->lock);
    r->end += wrong ? 0 : n;
    r->writing = false;
    spin_unlock_irqrestore(&r->lock, flags);
    return wrong ? -EFAULT : (s64)n;
}

#endif
