/* SPDX-License-Identifier: MIT */
/*
 * bits/gthr-default.h - locks of the compiler's C++ headers, on this library's POSIX threads. There may always be
 * threads: std::shared_ptr counts by atomic instructions.
 */
#ifndef AMALGAM_GTHR_DEFAULT_H
#define AMALGAM_GTHR_DEFAULT_H

#include <pthread.h>

#define __GTHREADS 1

typedef pthread_once_t __gthread_once_t;
typedef pthread_mutex_t __gthread_mutex_t;
typedef pthread_mutex_t __gthread_recursive_mutex_t;
typedef pthread_cond_t __gthread_cond_t;

#define __GTHREAD_ONCE_INIT                     PTHREAD_ONCE_INIT
#define __GTHREAD_MUTEX_INIT                    PTHREAD_MUTEX_INITIALIZER
#define __GTHREAD_COND_INIT                     PTHREAD_COND_INITIALIZER
#define __GTHREAD_RECURSIVE_MUTEX_INIT_FUNCTION __gthread_recursive_mutex_init_function

static inline int __gthread_active_p(void) { return 1; }
static inline int __gthread_once(__gthread_once_t *once, void (*routine)(void)) { return pthread_once(once, routine); }
static inline int __gthread_mutex_lock(__gthread_mutex_t *m) { return pthread_mutex_lock(m); }
static inline int __gthread_mutex_unlock(__gthread_mutex_t *m) { return pthread_mutex_unlock(m); }
static inline int __gthread_mutex_destroy(__gthread_mutex_t *m) { return pthread_mutex_destroy(m); }
static inline int __gthread_recursive_mutex_lock(__gthread_recursive_mutex_t *m) { return pthread_mutex_lock(m); }
static inline int __gthread_recursive_mutex_unlock(__gthread_recursive_mutex_t *m) { return pthread_mutex_unlock(m); }
static inline int __gthread_recursive_mutex_destroy(__gthread_recursive_mutex_t *m) { return pthread_mutex_destroy(m); }
static inline int __gthread_cond_broadcast(__gthread_cond_t *c) { return pthread_cond_broadcast(c); }
static inline int __gthread_cond_wait(__gthread_cond_t *c, __gthread_mutex_t *m) { return pthread_cond_wait(c, m); }
static inline int __gthread_cond_wait_recursive(__gthread_cond_t *c, __gthread_recursive_mutex_t *m)
{
    return pthread_cond_wait(c, m);
}

static inline int __gthread_recursive_mutex_init_function(__gthread_recursive_mutex_t *m)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    return pthread_mutex_init(m, &attr);
}

#endif
