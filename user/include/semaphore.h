/* SPDX-License-Identifier: MIT */
/*
 * semaphore.h - POSIX semaphores. Taking one that is there, and posting one for which nobody sleeps, makes no system
 * call. Named semaphores are the process's: no other process finds them.
 *
 * Each function returns 0, or -1 and sets errno.
 */
#ifndef _SEMAPHORE_H
#define _SEMAPHORE_H

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t word; /* the value, and how many threads sleep */
} sem_t;

#define SEM_FAILED ((sem_t *)0)
#undef SEM_VALUE_MAX
#define SEM_VALUE_MAX 0x1ffffff

/* `shared` has no effect: all threads that reach the semaphore are the process's. EINVAL: the value is above
 * SEM_VALUE_MAX. */
int sem_init(sem_t *semaphore, int shared, unsigned value);
/* EBUSY: a thread waits. */
int sem_destroy(sem_t *semaphore);
/* EINTR: a signal came while the thread slept. */
int sem_wait(sem_t *semaphore);
/* EAGAIN: the value is 0. */
int sem_trywait(sem_t *semaphore);
/* As sem_wait(); ETIMEDOUT: `until` was reached; EINVAL: the thread would have slept, and `until` is no time, or
 * `clock` neither CLOCK_REALTIME nor CLOCK_MONOTONIC. sem_timedwait() goes by CLOCK_REALTIME. */
int sem_timedwait(sem_t *__restrict semaphore, const struct timespec *__restrict until);
int sem_clockwait(sem_t *__restrict semaphore, clockid_t clock, const struct timespec *__restrict until);
/* EOVERFLOW: the value is SEM_VALUE_MAX. Touches nothing after it has added one: who takes that may free the semaphore.
 * A handler of a signal may call it. */
int sem_post(sem_t *semaphore);
/* *value becomes 0 if threads wait. */
int sem_getvalue(sem_t *__restrict semaphore, int *__restrict value);

/* Open the semaphore of that name; a slash at its begin makes no difference. With O_CREAT, then mode_t and the value as
 * unsigned follow, it is made if there is none. Returns SEM_FAILED and sets errno: ENOENT: there is none; EEXIST: there
 * is one, and O_EXCL was given; EINVAL: no name, or the value is above SEM_VALUE_MAX; ENAMETOOLONG: more than NAME_MAX
 * characters; ENOMEM. */
sem_t *sem_open(const char *name, int flags, ...);
/* For each sem_open() once. EINVAL: it is not open. */
int sem_close(sem_t *semaphore);
/* Take the name away; the semaphore is freed when it is closed. ENOENT: there is none. */
int sem_unlink(const char *name);

#ifdef __cplusplus
}
#endif

#endif
