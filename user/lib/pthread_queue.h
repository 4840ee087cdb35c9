/* SPDX-License-Identifier: MIT */
/*
 * pthread_queue.h - threads that wait for a place (pthread_attr_setqueued_np). Of pthread.c, which goes there only when
 * a thread asks for it; other programs have no pthread_queue.c.
 *
 * A thread has a place from pthread_create() on, until it has reached pthread_exit() and found nobody who waits and may
 * run on its core. So while all places that would do for a thread are held, each of those who hold them will look, and
 * who waits is not forgotten. Thread N of the kernel's is on core N modulo cores, and that is place N.
 */
#ifndef AMALGAM_USER_PTHREAD_QUEUE_H
#define AMALGAM_USER_PTHREAD_QUEUE_H

#include "thread.h"

/* Added to threads_alive while a thread waits, so that nobody is the last one. */
#define THREADS_WAIT INT32_MIN

extern int32_t threads_alive;

/* pthread.c: start the thread on one of its cores. Returns its number, or a negative error number. */
int thread_start(struct amalgam_thread *t);
/* The first function of a thread, which is `arg`. */
void thread_main(void *arg);

struct thread_queue {
    /* Start a thread, which is counted in threads_alive, or let it wait if it `waits`. Returns 0 or more: it runs, or
     * waits and is no longer counted; or a negative error number. */
    int (*start)(struct amalgam_thread *t, bool waits);
    /* For the end of the calling thread: take the thread that has waited longest among those that may run on its core,
     * and count it. Returns NULL if there is none; then the place is free. */
    struct amalgam_thread *(*take)(void);
    /* Give the calling thread's place to `next`; `self` has ended when its stack is no longer in use. Does not return.
     */
    void (*run)(struct amalgam_thread *next, struct amalgam_thread *self);
};
extern const struct thread_queue *thread_queue; /* NULL: no thread of this program may wait */

#endif
