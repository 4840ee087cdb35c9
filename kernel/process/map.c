/* SPDX-License-Identifier: MIT */
/*
 * map.c - the calls map, unmap and protect.
 *
 * A range is worked through in pieces, each with interrupts off and under the process's lock; of several threads that
 * work on the same pages at once each gets some, and nobody but their process sees that. A page leaves in three steps:
 * its entry goes, every core that may remember it forgets it, and only then its frame is cleared and free.
 *
 * A core forgets when the thread that it runs loads its space again. So each thread of the process is told to
 * (user_forget), those that run elsewhere are interrupted, and who has told waits until they have, or have lost their
 * core. It loads its own meanwhile, also between pieces: two that wait for each other both go on.
 */
#include <core/cpu.h>
#include <core/frames.h>
#include <errors.h>
#include <generated/process_calls.h>
#include <hal/cpu.h>

#include "process.h"

#define PIECE 16 /* entries at once */

_Static_assert(PROCESS_CALL_MAP_WRITE == SPACE_WRITE && PROCESS_CALL_MAP_EXEC == SPACE_EXEC, "rights of a page");
_Static_assert(PROCESS_CALL_PROTECT_WRITE == SPACE_WRITE && PROCESS_CALL_PROTECT_EXEC == SPACE_EXEC,
               "rights of a page");

/* What to do with an entry that stands for `size` bytes: how many of them are done, or an error. Under the lock. */
typedef s64 step(struct process *p, space_entry_t *entry, u64 size, u32 *arg);

int process_check_pages(u64 address, u64 size)
{
    if (!size || !IS_ALIGNED(address | size, PAGE_SIZE))
        return -EINVAL;
    return address >= USER_BASE && address < PROCESS_TUNNELS && size <= PROCESS_TUNNELS - address ? 0 : -EFAULT;
}

/* Do it for [*at, end); *at stays where it failed. A process that is to end does not wait for the rest. */
static int each(struct process_thread *t, u64 *at, u64 end, step *does, u32 *arg)
{
    struct process *p = t->process;
    s64 done = 0;
    while (*at < end && done >= 0 && !READ_ONCE(t->thread->stop)) {
        unsigned long flags = spin_lock_irqsave(&p->lock);
        user_refresh(&t->user);
        for (unsigned i = 0; i < PIECE && *at < end && done >= 0; i++) {
            u64 size;
            space_entry_t *entry = space_walk(&p->space, *at, &size);
            done = does(p, entry, size, arg);
            if (done > 0)
                *at = ALIGN_DOWN(*at, size) + size;
        }
        spin_unlock_irqrestore(&p->lock, flags);
    }
    return done < 0 ? (int)done : 0;
}

static bool runs(const struct process_thread *t) { return READ_ONCE(cpus[t->thread->cpu]->sched.running) == t->thread; }

void process_forget(struct process *p, struct process_thread *self)
{
    mp_fence();
    for (unsigned i = 0; i < p->n; i++)
        user_forget(&p->thread[i].user);
    mp_fence();
    for (unsigned i = 0; i < p->n; i++) {
        struct process_thread *t = &p->thread[i];
        if (t != self && runs(t))
            hal_ipi_resched(t->thread->cpu);
        while (t != self && user_forgot(&t->user) && runs(t)) {
            unsigned long flags = irq_save();
            if (self)
                user_refresh(&self->user);
            irq_restore(flags);
            cpu_relax();
        }
    }
}

/* A frame that nothing shows or names any more goes onto the list *gone of those to be cleared. */
static s64 unmap_step(struct process *p, space_entry_t *entry, u64 size, u32 *gone)
{
    if (size == PAGE_SIZE && *entry) {
        u32 frame = process_frame_of(p, *entry);
        __atomic_store_n(entry, 0, __ATOMIC_RELAXED);
        if (--p->frame[frame] == FRAME_USED) {
            p->frame[frame] = *gone;
            *gone = frame;
        }
    }
    return (s64)size;
}

static void unmap(struct process_thread *t, u64 at, u64 end)
{
    struct process *p = t->process;
    u32 gone = FRAME_NONE;
    u64 from = MAX(at - PAGE_SIZE, p->heap_end);
    each(t, &at, end, unmap_step, &gone);
    process_forget(p, t);
    while (gone != FRAME_NONE && !READ_ONCE(t->thread->stop)) {
        u32 frame = gone;
        gone = p->frame[frame];
        clear_pages(phys_to_virt(process_frame_address(p, frame)), 1);
        unsigned long flags = spin_lock_irqsave(&p->lock);
        process_frame_give(p, frame);
        p->place = MIN(p->place, from);
        spin_unlock_irqrestore(&p->lock, flags);
    }
}

/* A page, or first the table that it lacks. */
static s64 map_step(struct process *p, space_entry_t *entry, u64 size, u32 *rights)
{
    if (size == PAGE_SIZE && *entry)
        return -EEXIST;
    u32 frame = process_frame_take(p);
    if (frame == FRAME_NONE)
        return -ENOMEM;
    process_frame_show(p, entry, size, frame, *rights);
    return size == PAGE_SIZE ? (s64)PAGE_SIZE : 0;
}

static int map(struct process_thread *t, u64 address, u64 size, u32 rights)
{
    u64 at = address;
    int err = each(t, &at, address + size, map_step, &rights);
    if (err)
        unmap(t, address, at);
    else if (SPACE_RECALLS_NOTHING)
        process_forget(t->process, t);
    return err;
}

/* Where `size` bytes and a page on either side show nothing; 0: nowhere. The first place there is. */
static u64 find(struct process *p, u64 size)
{
    u64 from = READ_ONCE(p->place), at = from, start = from, first = 0, span;
    for (; at - start < size + 2 * PAGE_SIZE && at < PROCESS_TUNNELS; at = ALIGN_DOWN(at, span) + span) {
        bool taken = *space_walk(&p->space, at, &span);
        if (taken)
            start = at + PAGE_SIZE;
        else if (!first)
            first = at;
    }
    if (start + size + 2 * PAGE_SIZE > PROCESS_TUNNELS) /* `at` may be far behind: an empty span can be a GiB */
        return 0;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    if (p->place == from)
        p->place = start == first ? start + PAGE_SIZE + size : first;
    spin_unlock_irqrestore(&p->lock, flags);
    return start + PAGE_SIZE;
}

s64 process_call_map(struct process_thread *t, u64 address, u64 size, u32 protection)
{
    struct process *p = t->process;
    int err = process_check_pages(address ? address : USER_BASE, size);
    if (!err && size > (u64)READ_ONCE(p->n_free) << PAGE_SHIFT)
        err = -ENOMEM;
    if (err)
        return err;
    if (address) {
        err = map(t, address, size, protection);
        return err ? err : (s64)address;
    }
    do { /* again where another thread was faster */
        address = find(p, size);
        err = address ? map(t, address, size, protection) : -ENOMEM;
    } while (err == -EEXIST && !READ_ONCE(t->thread->stop));
    return err ? err : (s64)address;
}

s64 process_call_unmap(struct process_thread *t, u64 address, u64 size)
{
    int err = process_check_pages(address, size);
    if (!err)
        unmap(t, address, address + size);
    return err;
}

static s64 look_step(struct process *p, space_entry_t *entry, u64 size, u32 *rights)
{
    if (size > PAGE_SIZE || !*entry)
        return -EFAULT;
    if (*rights & SPACE_EXEC && p->frame[process_frame_of(p, *entry)] != FRAME_USED + 1)
        return -EACCES;
    return PAGE_SIZE;
}

static s64 protect_step(struct process *p, space_entry_t *entry, u64 size, u32 *rights)
{
    s64 done = look_step(p, entry, size, rights);
    if (done > 0)
        __atomic_store_n(entry, space_entry_of(space_frame(*entry), *rights), __ATOMIC_RELAXED);
    return done;
}

s64 process_call_protect(struct process_thread *t, u64 address, u64 size, u32 protection)
{
    u64 at = address;
    int err = process_check_pages(address, size);
    if (!err)
        err = each(t, &at, address + size, look_step, &protection);
    at = address;
    if (!err)
        err = each(t, &at, address + size, protect_step, &protection);
    if (at > address)
        process_forget(t->process, t);
    return err;
}
