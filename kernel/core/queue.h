/* SPDX-License-Identifier: MIT */
/*
 * queue.h - the run queues of one group: 32 FIFO lists and a map of those that are not empty. Private to core/; the
 * run-queue lock must be held.
 */
#ifndef AMALGAM_CORE_QUEUE_H
#define AMALGAM_CORE_QUEUE_H

#include <core/sched.h>

static inline __attribute__((always_inline)) void rq_push_back_here(struct runqueue *rq, struct thread *t)
{
    list_push_back(&rq->queue[t->prio], &t->link);
    rq->map |= 1u << t->prio;
}

static __noinline void rq_push_back(struct runqueue *rq, struct thread *t) { rq_push_back_here(rq, t); }

static inline void rq_push_front(struct runqueue *rq, struct thread *t)
{
    list_push_front(&rq->queue[t->prio], &t->link);
    rq->map |= 1u << t->prio;
}

static inline void rq_remove(struct runqueue *rq, struct thread *t)
{
    list_remove(&t->link);
    if (list_empty(&rq->queue[t->prio]))
        rq->map &= ~(1u << t->prio);
}

/* Remove and return the first thread of the most urgent queue; `idle` if all queues are empty. *peers becomes whether
 * an equal is left; it is false before. */
static inline struct thread *rq_pick(struct runqueue *rq, struct thread *idle, bool *peers)
{
    if (!rq->map)
        return idle;
    unsigned prio = bit_msb32(rq->map);
    struct list *head = &rq->queue[prio], *first = head->next, *second = first->next;
    head->next = second;
    second->prev = head;
    *peers = second != head;
    if (!*peers)
        rq->map &= ~(1u << prio);
    return list_entry(first, struct thread, link);
}

/* sched.c, sched_wake.c: the begin and the end of a thread. */
void thread_begin(void *thread);    /* first code of a thread, run-queue lock held */
__noreturn void thread_leave(void); /* last code of a thread, interrupts off */
void thread_timeout(void *thread);  /* its timer fired */

#endif
