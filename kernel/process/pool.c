/* SPDX-License-Identifier: MIT */
/* pool.c - starts and ends the threads of a process's fixed pool; see process.h. */
#include <core/sched.h>
#include <errors.h>

#include "process.h"

int process_thread_start(const struct process_thread *by, u64 entry, u64 stack, u64 arg, u64 tp)
{
    struct process *p = by->process;
    struct process_thread *t = NULL;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    for (unsigned i = 0; i < p->n && !t; i++)
        if (p->thread[i].state == PROCESS_FREE && by->cores >> p->thread[i].core & 1)
            t = &p->thread[i];
    if (t) {
        user_start(&t->user, &p->space, &t->thread->switches, entry, stack, arg, tp);
        t->word = t->exit_word = 0;
        t->cores = ~0u;
        t->lost = by->lost;
        WRITE_ONCE(t->state, PROCESS_READY);
        p->alive++;
    }
    spin_unlock_irqrestore(&p->lock, flags);
    if (!t)
        return -EAGAIN;
    thread_wake(t->thread);
    sched_poll();
    return t->number;
}

void process_thread_end(struct process_thread *t)
{
    struct process *p = t->process;
    const u32 zero = 0;
    u64 word = t->exit_word;
    process_pager_ended(t);
    unsigned long flags = spin_lock_irqsave(&p->lock);
    bool cleared = word && !(word % sizeof(zero)) && !process_write(t, word, &zero, sizeof(zero));
    t->state = PROCESS_FREE;
    bool last = !--p->alive;
    spin_unlock_irqrestore(&p->lock, flags);
    if (cleared)
        process_wake(p, word, ~0ull);
    if (last)
        domain_end(p->domain, END_DONE, "all threads have ended");
}
