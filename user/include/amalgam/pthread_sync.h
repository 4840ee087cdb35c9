/* SPDX-License-Identifier: MIT */
/*
 * amalgam/pthread_sync.h - the part of pthread.h that has locks for readers and writers, barriers, and locks that spin.
 *
 * Of a read-write lock neither side starves. A reader that comes while a writer waits waits for one writer; when a
 * writer unlocks, all readers that wait are let in before the next writer. So a thread that holds the lock for reading
 * must not lock it for reading again: if a writer waits by then, both sleep for ever.
 */
#ifndef _AMALGAM_PTHREAD_SYNC_H
#define _AMALGAM_PTHREAD_SYNC_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t readers, writers;
    pthread_t writer; /* holds it for writing */
    uint32_t reading, waiting_readers, waiting_writers;
    uint64_t turn; /* how often readers that waited were let in */
} pthread_rwlock_t;
typedef struct {
    int shared;
} pthread_rwlockattr_t;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t all, none;
    uint32_t need, arrived, inside;
    uint64_t round;
} pthread_barrier_t;
typedef struct {
    int shared;
} pthread_barrierattr_t;

typedef pthread_t pthread_spinlock_t; /* who holds it */

/* clang-format off */
#define PTHREAD_RWLOCK_INITIALIZER \
    { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, 0, 0, 0 }
/* clang-format on */
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)

/* As in pthread.h: each returns 0 or an error number. */

int pthread_rwlock_init(pthread_rwlock_t *__restrict l, const pthread_rwlockattr_t *__restrict attr);
/* EBUSY: a thread holds it. */
int pthread_rwlock_destroy(pthread_rwlock_t *l);
/* EDEADLK: the caller holds it for writing. */
int pthread_rwlock_rdlock(pthread_rwlock_t *l);
int pthread_rwlock_wrlock(pthread_rwlock_t *l);
/* EBUSY: the thread would wait. */
int pthread_rwlock_tryrdlock(pthread_rwlock_t *l);
int pthread_rwlock_trywrlock(pthread_rwlock_t *l);
/* ETIMEDOUT; EDEADLK; EINVAL: `until` is not a time, or `clock` not one that pthread_cond_clockwait() knows. */
int pthread_rwlock_timedrdlock(pthread_rwlock_t *__restrict l, const struct timespec *__restrict until);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *__restrict l, const struct timespec *__restrict until);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *__restrict l, clockid_t clock,
                               const struct timespec *__restrict until);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *__restrict l, clockid_t clock,
                               const struct timespec *__restrict until);
/* EINVAL: nobody holds it; EPERM: another thread does, for writing. */
int pthread_rwlock_unlock(pthread_rwlock_t *l);
int pthread_rwlockattr_init(pthread_rwlockattr_t *attr);
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared);
int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *__restrict attr, int *__restrict shared);

/* EINVAL: `need` is 0. */
int pthread_barrier_init(pthread_barrier_t *__restrict b, const pthread_barrierattr_t *__restrict attr, unsigned need);
/* Waits for threads that are leaving. EBUSY: one waits. */
int pthread_barrier_destroy(pthread_barrier_t *b);
/* Wait until `need` threads have come. Returns PTHREAD_BARRIER_SERIAL_THREAD to one of them, 0 to the others. */
int pthread_barrier_wait(pthread_barrier_t *b);
int pthread_barrierattr_init(pthread_barrierattr_t *attr);
int pthread_barrierattr_destroy(pthread_barrierattr_t *attr);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared);
int pthread_barrierattr_getpshared(const pthread_barrierattr_t *__restrict attr, int *__restrict shared);

/* EINVAL: `shared` is neither of PTHREAD_PROCESS_PRIVATE and PTHREAD_PROCESS_SHARED. */
int pthread_spin_init(pthread_spinlock_t *l, int shared);
/* EBUSY: a thread holds it. */
int pthread_spin_destroy(pthread_spinlock_t *l);
/* A thread that finds it taken gives its core to others between looks. EDEADLK: the caller holds it. */
int pthread_spin_lock(pthread_spinlock_t *l);
/* EBUSY: it is taken. */
int pthread_spin_trylock(pthread_spinlock_t *l);
int pthread_spin_unlock(pthread_spinlock_t *l);

#ifdef __cplusplus
}
#endif

#endif
