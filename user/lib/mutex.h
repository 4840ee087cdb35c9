/* SPDX-License-Identifier: MIT */
/* mutex.h - what conditions ask of a mutex, and what robust mutexes do beside others (mutex_robust.c). */
#ifndef AMALGAM_USER_MUTEX_H
#define AMALGAM_USER_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

#define MUTEX_ROBUST 4u /* in `kind` */

/* Returns whether pthread_mutex_unlock() of the calling thread will succeed: it holds the mutex, or the mutex knows no
 * owner. */
bool mutex_may_unlock(const pthread_mutex_t *m);

struct robust_hooks {
    int (*taken)(pthread_mutex_t *m);     /* the caller has it. Returns what pthread_mutex_lock() says */
    void (*dropping)(pthread_mutex_t *m); /* before it is free */
};
extern const struct robust_hooks *robust_hooks; /* set before there is a robust mutex */

#endif
