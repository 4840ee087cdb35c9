/* SPDX-License-Identifier: MIT */
/* events.c - the count of events of each process; see events.h. kernel/api/spawn.yaml describes the calls. */
#include "events.h"

#include <core/domain.h>
#include <errors.h>
#include <generated/spawn_calls.h>
#include <hal/cpu.h>
#include <process/part.h>
#include <process/waiters.h>

#include "spawn.h"

/* Under the process's lock. */
static struct events {
    u32 count;
    u64 word; /* at which it sleeps; 0: it has not yet */
} events[SYS_MAX_DOMAINS];

void events_ring(unsigned domain)
{
    struct events *e = &events[domain];
    struct process *p = domains[domain].impl;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    WRITE_ONCE(e->count, e->count + 1);
    if (e->word)
        process_waiters_wake(p, e->word, ~0ull);
    spin_unlock_irqrestore(&p->lock, flags);
}

s64 spawn_call_spawn_events(struct user *u)
{
    return READ_ONCE(events[container_of(u, struct process_thread, user)->process->domain->id].count);
}

/* Add the thread to the waiters if neither the word nor the count has changed, each of which only grows. Interrupts are
 * off. */
static s64 add_if_equal(struct process_thread *t, u64 word, u32 sum)
{
    struct process *p = t->process;
    struct events *e = &events[p->domain->id];
    spin_lock_here(&p->lock);
    s64 value = user_read_word(&t->user, (const void *)(unsigned long)word);
    s64 err = value < 0 ? value : (u32)value + e->count == sum ? 0 : -EAGAIN;
    if (!err) {
        e->word = word;
        process_waiter_add(t, word);
    }
    spin_unlock(&p->lock);
    return err;
}

s64 spawn_call_spawn_sleep(struct process_thread *t, u64 word, u32 sum, u64 deadline)
{
    if (word % sizeof(u32) || !space_is_user(word, sizeof(u32)) || word >= PROCESS_PARTS)
        return -EINVAL;
    s64 err = add_if_equal(t, word, sum);
    return err ? err : process_waiter_block_here(t, deadline);
}

static int begin(struct process *p)
{
    unsigned long flags = spin_lock_irqsave(&p->lock);
    events[p->domain->id].word = 0;
    spin_unlock_irqrestore(&p->lock, flags);
    return 0;
}

PROCESS_PART(events, .at = { [PROCESS_BEGINS] = begin });
