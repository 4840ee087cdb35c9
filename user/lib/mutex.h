/* SPDX-License-Identifier: MIT */
/* mutex.h - what conditions ask of a mutex. */
#ifndef AMALGAM_USER_MUTEX_H
#define AMALGAM_USER_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

/* Returns whether pthread_mutex_unlock() of the calling thread will succeed: it holds the mutex, or the mutex knows no
 * owner. */
bool mutex_may_unlock(const pthread_mutex_t *m);

#endif
