/* SPDX-License-Identifier: MIT */
/* sync.c - semaphores and message queues. */
#include "rtos.h"

void semaphore_init(struct semaphore *s, u32 count) { *s = (struct semaphore){ .count = count }; }

bool semaphore_wait(struct semaphore *s, u32 timeout_ticks)
{
    u32 before = cpu_lock();
    bool got = s->count > 0;
    if (got)
        s->count--;
    else if (timeout_ticks) {
        wait_in(s, timeout_ticks); /* semaphore_signal() wakes a waiter instead of incrementing the count */
        got = !current->timed_out;
    }
    cpu_unlock(before);
    return got;
}

void semaphore_signal(struct semaphore *s)
{
    u32 before = cpu_lock();
    struct task *t = list_take(&s->waiting);
    if (t) {
        make_ready(t);
        reschedule();
    } else
        s->count++;
    cpu_unlock(before);
}

void queue_init(struct queue *q, u32 *words, u32 size)
{
    *q = (struct queue){ .words = words, .size = size };
    semaphore_init(&q->items, 0);
    semaphore_init(&q->room, size);
}

bool queue_send(struct queue *q, u32 word, u32 timeout_ticks)
{
    if (!semaphore_wait(&q->room, timeout_ticks))
        return false;
    u32 before = cpu_lock();
    q->words[(q->head + q->used++) % q->size] = word;
    cpu_unlock(before);
    semaphore_signal(&q->items);
    return true;
}

bool queue_receive(struct queue *q, u32 *word, u32 timeout_ticks)
{
    if (!semaphore_wait(&q->items, timeout_ticks))
        return false;
    u32 before = cpu_lock();
    *word = q->words[q->head];
    q->head = (q->head + 1) % q->size;
    q->used--;
    cpu_unlock(before);
    semaphore_signal(&q->room);
    return true;
}
