/* SPDX-License-Identifier: MIT */
/* cond.h - what locks of readers and writers ask of a condition. */
#ifndef AMALGAM_USER_COND_H
#define AMALGAM_USER_COND_H

#include <pthread.h>
#include <stdint.h>

/* As pthread_cond_timedwait(), but no cancellation point, with a time of amalgam_clock(); AMALGAM_NEVER: none. */
int cond_wait_until(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline);

#endif
