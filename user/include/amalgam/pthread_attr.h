/* SPDX-License-Identifier: MIT */
/* amalgam/pthread_attr.h - the part of pthread.h that has the attributes of threads, mutexes and conditions. Each
 * function returns 0 or an error number. */
#ifndef _AMALGAM_PTHREAD_ATTR_H
#define _AMALGAM_PTHREAD_ATTR_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

int pthread_attr_init(pthread_attr_t *attr);
int pthread_attr_destroy(pthread_attr_t *attr);
/* EINVAL: less than PTHREAD_STACK_MIN. */
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size);
/* Give the thread a stack, which is the program's again when the thread was joined. There is no guard below it. EINVAL:
 * less than PTHREAD_STACK_MIN. */
int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size);
/* *stack becomes NULL if none was given. */
int pthread_attr_getstack(const pthread_attr_t *__restrict attr, void **__restrict stack, size_t *__restrict size);
/* There is a page below each stack that the library makes, also if less is asked for. EINVAL: more. */
int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size);
int pthread_attr_getguardsize(const pthread_attr_t *__restrict attr, size_t *__restrict size);
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state);
int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state);
/* Choose the cores on which the thread may be started. EINVAL: the set is empty, or `size` is not sizeof(cpu_set_t). */
int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set);
int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size, cpu_set_t *set);
/* Let the thread wait if none is left, until another one ends: first come, first served, PTHREAD_QUEUED_MAX at most.
 * Then pthread_create() returns 0 for it as if it ran. One that names cores waits for a thread of these to end; threads
 * that were created before the first call of this, but for the caller, are not waited for there. Not where the process
 * may have one thread only: that stays EAGAIN. The thread that ends goes on as the one that waited, so a thread that
 * called amalgam_fault_wait() must not end before all others. */
int pthread_attr_setqueued_np(pthread_attr_t *attr, int queued);

/* Get the attributes of a thread, with where its stack is. ENOTSUP: the first thread, and one whose stack is the
 * program's. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr);

/* There is one policy, SCHED_OTHER, and one priority, 0. ENOTSUP: another one; EINVAL: one that POSIX does not know. */
int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy);
int pthread_attr_getschedpolicy(const pthread_attr_t *__restrict attr, int *__restrict policy);
int pthread_attr_setschedparam(pthread_attr_t *__restrict attr, const struct sched_param *__restrict parameters);
int pthread_attr_getschedparam(const pthread_attr_t *__restrict attr, struct sched_param *__restrict parameters);
int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit);
int pthread_attr_getinheritsched(const pthread_attr_t *__restrict attr, int *__restrict inherit);
int pthread_attr_setscope(pthread_attr_t *attr, int scope);
int pthread_attr_getscope(const pthread_attr_t *__restrict attr, int *__restrict scope);
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters);
int pthread_getschedparam(pthread_t thread, int *__restrict policy, struct sched_param *__restrict parameters);
int pthread_setschedprio(pthread_t thread, int priority);

int pthread_mutexattr_init(pthread_mutexattr_t *attr);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attr);
int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int kind);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *kind);
/* Of all objects: kept, and without effect, because no function of POSIX gives memory that processes share. */
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared);
int pthread_mutexattr_getpshared(const pthread_mutexattr_t *__restrict attr, int *__restrict shared);
/* Each protocol holds where all threads have one priority. EINVAL: a ceiling that is not that priority. */
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol);
int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *__restrict attr, int *__restrict protocol);
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling);
int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *__restrict attr, int *__restrict ceiling);
int pthread_mutex_setprioceiling(pthread_mutex_t *__restrict m, int ceiling, int *__restrict old);
int pthread_mutex_getprioceiling(const pthread_mutex_t *__restrict m, int *__restrict ceiling);
/* A robust mutex is free when its owner ends; who locks it next is told so. */
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *__restrict attr, int *__restrict robust);

int pthread_condattr_init(pthread_condattr_t *attr);
int pthread_condattr_destroy(pthread_condattr_t *attr);
int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared);
int pthread_condattr_getpshared(const pthread_condattr_t *__restrict attr, int *__restrict shared);
/* EINVAL: neither CLOCK_REALTIME nor CLOCK_MONOTONIC. */
int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock);
int pthread_condattr_getclock(const pthread_condattr_t *__restrict attr, clockid_t *__restrict clock);

#ifdef __cplusplus
}
#endif

#endif
