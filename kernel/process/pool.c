/* SPDX-License-Identifier: MIT */
/* pool.c - starts and ends the threads of a process's fixed pool; see process.h. */
#include <errors.h>
#include <hal/cpu.h>

#include "pages.h"
#include "signal.h"
#include "tunnel.h"
#include "waiters.h"

int process_thread_start(const struct process_thread *by, u64 entry, u64 stack, u64 arg, u64 tp)
{
    struct process *p = by->process;
    unsigned long flags = irq_save();
    spin_lock_here(&p->lock);
    struct process_thread *t = p->first, *end = &p->thread[p->n];
    while (t < end && !(t->state == PROCESS_FREE && by->cores >> t->core & 1))
        t++;
    if (t < end) {
        user_start(&t->user, &p->space, &t->thread->turns, entry, stack, arg, tp);
        if (by->cores == ~0u) /* it was the first one that is free, not the first one on these cores */
            p->first = t + 1;
        t->word = t->exit_word = 0;
        t->cores = ~0u;
        t->lost = by->lost;
        WRITE_ONCE(t->state, PROCESS_READY);
        p->alive++;
    }
    spin_unlock(&p->lock);
    if (t < end)
        process_thread_wake(t->thread);
    irq_restore(flags);
    process_poll();
    return t < end ? t->number : -EAGAIN;
}

/* Clear the word that thread `t` names for its end and wake all who wait on it; under the lock. Returns the word, or 0
 * if there is none, or none that the thread may write. Who reads the 0 uses the thread's stack and result: so all that
 * the thread did comes before it (tests/model/exit_word.pml). */
static inline u64 clear_exit_word(struct process_thread *t)
{
    static const u32 zero = 0;
    u64 word = t->exit_word;
    void *at = (void *)(unsigned long)word;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (!word || word % sizeof(zero) || !space_is_user(word, sizeof(zero)) ||
        (unlikely(user_copy_piece(&t->user, at, &zero, sizeof(zero))) &&
         process_copy_again(t, at, &zero, word, SPACE_WRITE)))
        return 0;
    process_count_wake(t->process);
    process_waiters_wake(t->process, word, ~0ull);
    return word;
}

void process_thread_end(struct process_thread *t)
{
    struct process *p = t->process;
    process_pager_ended(t);
    unsigned long flags = irq_save();
    spin_lock_here(&p->lock);
    u64 word = clear_exit_word(t);
    t->state = PROCESS_FREE;
    if (unlikely(READ_ONCE(t->look)))
        process_signals_end(t);
    if (t < p->first)
        p->first = t;
    bool last = !--p->alive;
    spin_unlock(&p->lock);
    if (unlikely(word >= PROCESS_TUNNELS))
        process_wake_peer(p, word, ~0ull);
    irq_restore(flags);
    process_poll();
    if (last)
        domain_end(p->domain, END_DONE, "all threads have ended");
}
