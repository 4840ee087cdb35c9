/* SPDX-License-Identifier: MIT */
/*
 * lazy.c - pages that get their frame at the first access.
 *
 * map() makes a page lazy: its entry holds its rights, and the processor finds no page there. A frame is promised to
 * it, any one of those that are free, so that the first access cannot fail. There it gets one, which is zero: frames
 * are cleared when they are given back. Accesses come from the program, as faults (run.c), and from the kernel, when a
 * copy fails (copy.c, wait.c, pool.c).
 *
 * Two threads on two cores may fault on one page at once. Under the lock the first of them gives the page its frame;
 * the second one finds the page there and tries again. Where a processor may recall that there was none, it forgets
 * that first.
 */
#include <errors.h>
#include <generated/dispatch.h>

#include "frames.h"
#include "pages.h"

__noinline bool process_give(struct process_thread *t, u64 at, unsigned access)
{
    struct process *p = t->process;
    u64 size;
    if (!space_is_user(at, 1))
        return false;
    space_entry_t *entry = space_walk(&p->space, at, &size), e = *entry;
    if (!e || access & ~space_rights(e))
        return false;
    if (space_is_lazy(e)) {
        if (size > PAGE_SIZE) /* a large page that is being unmapped */
            return false;
        p->promised--;
        p->n_free++;
        process_frame_map(p, entry, size, process_frame_alloc(p), space_rights(e));
    }
    if (SPACE_RECALLS_NOTHING)
        user_forget(&t->user);
    return true;
}

__noinline bool process_touch(struct process_thread *t, u64 at, unsigned access)
{
    unsigned long flags = irq_save();
    spin_lock_here(&t->process->lock);
    bool may = process_give(t, at, access);
    spin_unlock(&t->process->lock);
    irq_restore(flags);
    return may || dispatch_fault(t, at, access);
}

__cold __noinline bool process_bring(struct process_thread *t, u64 at, unsigned access)
{
    struct spinlock *lock = &t->process->lock;
    bool again = true;
    while (!process_give(t, at, access)) {
        if (!again)
            return false;
        spin_unlock(lock);
        irq_enable();
        again = process_page_in(t, at, 1, access);
        irq_disable();
        spin_lock_here(lock);
    }
    return true;
}

__cold __noinline int process_copy_again(struct process_thread *t, void *to, const void *from, u64 at, unsigned access)
{
    return process_bring(t, at, access) ? user_copy_piece(&t->user, to, from, sizeof(u32)) : -EFAULT;
}
