/* SPDX-License-Identifier: MIT */
/*
 * pager.c - page faults that a thread of the process handles: its pager, the thread that calls fault_wait().
 *
 * A thread that faults joins the process's waiters at the address FAULTED, so faults are told in their order. The pager
 * takes one: that thread waits at TOLD until fault_resume() sends it back to the same instruction. What the pager does
 * between the two, map() or nothing, is its own matter; a thread whose page is still not there faults again.
 *
 * Nobody waits for a pager that there is not, but after fault_keep(1): a fault of the pager, or without one, ends the
 * process as any fault does, and when the pager ends all who wait for it fault once more. The waits have odd addresses,
 * at which no program can wait or wake (wait.c); those of tunnels' bells are others.
 *
 * Locks: process.lock guards `pager`, `keeps_faults` and the waits. The protocol has a model: tests/model/pager.pml.
 */
#include <core/sched.h>
#include <errors.h>
#include <generated/process_calls.h>
#include <hal/cpu.h>

#include "memory.h"
#include "pages.h"
#include "signal.h"
#include "waiters.h"

enum { FAULTED = 1, TOLD = 3, IDLE = 5 }; /* behind USER_BASE: the pager waits at IDLE */
_Static_assert(USER_BASE + TOLD == PROCESS_FAULT_LAST, "no signal ends the first two");

/* What fault_wait() tells: struct amalgam_fault of user/include/amalgam/fault.h. */
struct fault {
    u64 address, pc;
};

bool process_page_fault(struct process_thread *t, u64 address)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    bool handled = (p->pager || p->keeps_faults) && p->pager != t && address >= USER_BASE && address < PROCESS_PARTS;
    if (handled) {
        t->fault = address;
        process_waiter_add(t, USER_BASE + FAULTED);
        process_waiters_wake(p, USER_BASE + IDLE, 1);
    }
    spin_unlock_irqrestore(&p->lock, flags);
    if (!handled)
        return false;
    sched_poll();
    process_waiter_block(t, ~0ull); /* a thread that has to end is back at once, and ends */
    return true;
}

/* The next fault for pager `t`, whose thread is told then. Returns its number, or an error. */
static s64 next_fault(struct process_thread *t, struct fault *found)
{
    struct process *p = t->process;
    for (;;) {
        unsigned long flags = spin_lock_irqsave(&p->lock);
        s64 result = p->pager && p->pager != t ? -EBUSY : 0;
        struct process_thread *who = NULL;
        if (!result) {
            p->pager = t;
            who = process_waiter_at(p, USER_BASE + FAULTED);
        }
        if (who) {
            WRITE_ONCE(who->word, USER_BASE + TOLD);
            *found = (struct fault){ who->fault, user_pc(&who->user) };
            result = who->number;
        } else if (!result) {
            process_waiter_add(t, USER_BASE + IDLE);
        }
        spin_unlock_irqrestore(&p->lock, flags);
        if (who || result)
            return result;
        result = process_waiter_block(t, ~0ull);
        if (result)
            return result;
    }
}

s64 process_call_fault_wait(struct process_thread *t, u64 to)
{
    struct fault found = { 0 };
    if (process_write(t, to, &found, sizeof(found))) /* before a fault is taken for it */
        return -EFAULT;
    s64 result = next_fault(t, &found);
    return result >= 0 && process_write(t, to, &found, sizeof(found)) ? -EFAULT : result;
}

s64 process_call_fault_resume(struct process_thread *t, u32 number)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    struct process_thread *who = number < p->n ? &p->thread[number] : NULL;
    bool told = who && READ_ONCE(who->word) == USER_BASE + TOLD;
    if (told)
        process_waiter_end(who, 0);
    spin_unlock_irqrestore(&p->lock, flags);
    sched_poll();
    return told ? 0 : -ENOENT;
}

s64 process_call_fault_keep(struct process_thread *t, u32 keeps)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    p->keeps_faults = keeps;
    if (!keeps && !p->pager)
        process_waiters_wake(p, USER_BASE + FAULTED, ~0ull);
    spin_unlock_irqrestore(&p->lock, flags);
    sched_poll();
    return 0;
}

void process_pager_ended(struct process_thread *t)
{
    struct process *p = t->process;
    if (READ_ONCE(p->pager) != t) /* nobody else makes it the pager */
        return;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    p->pager = NULL;
    process_waiters_wake(p, USER_BASE + FAULTED, ~0ull);
    process_waiters_wake(p, USER_BASE + TOLD, ~0ull);
    spin_unlock_irqrestore(&p->lock, flags);
}

bool process_page_in(struct process_thread *t, u64 at, size_t n, unsigned access)
{
    u64 end = at + n, size;
    if (!irq_enabled() || READ_ONCE(t->thread->stop))
        return false;
    for (; at < end; at = ALIGN_DOWN(at, PAGE_SIZE) + PAGE_SIZE)
        if (!process_touch(t, at, access))
            return !READ_ONCE(*space_walk(&t->process->space, at, &size)) && process_page_fault(t, at);
    return true;
}
