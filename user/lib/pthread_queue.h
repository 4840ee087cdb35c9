/* SPDX-License-Identifier: MIT */
/*
 * pthread_queue.h - threads that wait for a place (pthread_attr_setqueued_np). Of pthread.c, which goes there only when
 * a thread asks for it; other programs have no pthread_queue.c.
 *
 * A thread has a place from pthread_create() on, until it has reached pthread_exit() and found nobody who waits. So
 * while threads_alive says that all places are taken, each of these threads will look, and who waits is not forgotten.
 */
#ifndef AMALGAM_USER_PTHREAD_QUEUE_H
#define AMALGAM_USER_PTHREAD_QUEUE_H

#include "thread.h"

/* Added to threads_alive while a thread waits, so that one test finds this and the last thread's end. */
#define THREADS_WAIT INT32_MIN

extern int32_t threads_alive;

/* pthread.c: start the thread on any core. Returns an error number. */
int thread_start(struct amalgam_thread *t);
/* The first function of a thread, which is `arg`. */
void thread_main(void *arg);

struct thread_queue {
    /* Start a thread for which there was no place, or let it wait; it is counted in threads_alive. Returns 0, then it
     * runs or is no longer counted; or EAGAIN. */
    int (*put)(struct amalgam_thread *t);
    /* Take the thread that has waited longest, and count it. Returns NULL if another thread was faster. */
    struct amalgam_thread *(*take)(void);
    /* Give the calling thread's place to `next`; `self` has ended when its stack is no longer in use. Does not return.
     */
    void (*run)(struct amalgam_thread *next, struct amalgam_thread *self);
};
extern const struct thread_queue *thread_queue; /* NULL: no thread of this program may wait */

#endif
