/* SPDX-License-Identifier: MIT */
/*
 * mailbox.c - a bounded queue of words between threads: a ring between two
 * semaphores, whose hand-over keeps senders and receivers each in their order.
 */
#include <core/wait.h>
#include <errors.h>

void mailbox_init(struct mailbox *m)
{
    sem_init(&m->free, MAILBOX_SLOTS);
    sem_init(&m->used, 0);
    m->lock = (struct spinlock)SPINLOCK_INIT;
    m->head = m->tail = 0;
}

/* The caller took one of `free`. */
static void put(struct mailbox *m, u64 msg)
{
    unsigned long flags = spin_lock_irqsave(&m->lock);
    m->slot[m->head++ % MAILBOX_SLOTS] = msg;
    spin_unlock_irqrestore(&m->lock, flags);
    sem_post(&m->used);
}

int mailbox_trysend(struct mailbox *m, u64 msg)
{
    if (!sem_trywait(&m->free))
        return -EAGAIN;
    put(m, msg);
    return 0;
}

int mailbox_send(struct mailbox *m, u64 msg, ticks_t deadline)
{
    int err = sem_wait(&m->free, deadline);
    if (!err)
        put(m, msg);
    return err;
}

int mailbox_receive(struct mailbox *m, u64 *msg, ticks_t deadline)
{
    int err = sem_wait(&m->used, deadline);
    if (err)
        return err;
    unsigned long flags = spin_lock_irqsave(&m->lock);
    *msg = m->slot[m->tail++ % MAILBOX_SLOTS];
    spin_unlock_irqrestore(&m->lock, flags);
    sem_post(&m->free);
    return 0;
}
