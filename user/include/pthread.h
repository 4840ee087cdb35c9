/* SPDX-License-Identifier: MIT */
/*
 * pthread.h - the part of POSIX threads that processes have.
 *
 * Each thread is a thread of the kernel. The system file says how many a process may have (`threads:`). There is an
 * unmapped page below each stack. Mutexes and conditions are words in memory; locking a free mutex makes no system
 * call. A thread stays on the core where it was started. There is one priority.
 */
#ifndef _PTHREAD_H
#define _PTHREAD_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct amalgam_thread *pthread_t;

typedef struct {
    size_t stack_size;
    int detached;
    uint32_t cores; /* bit N: core N of the process; 0: any core */
    int queued;     /* set by pthread_attr_setqueued_np() only */
    void *stack;    /* NULL: the library makes it */
    size_t guard;
    int inherit;
} pthread_attr_t;

/* A set of the process's cores, which are numbered from 0 on in the order of its system file. */
typedef struct {
    uint32_t cores;
} cpu_set_t;
#define CPU_SETSIZE       32
#define CPU_ZERO(set)     ((void)((set)->cores = 0))
#define CPU_SET(n, set)   ((void)((set)->cores |= (n) < CPU_SETSIZE ? 1u << (n) : 0))
#define CPU_CLR(n, set)   ((void)((set)->cores &= (n) < CPU_SETSIZE ? ~(1u << (n)) : ~0u))
#define CPU_ISSET(n, set) ((n) < CPU_SETSIZE ? (int)((set)->cores >> (n)&1) : 0)

typedef struct {
    uint32_t lock; /* 0 free, 1 taken, 2 taken and a thread sleeps */
    uint32_t kind;
    uint32_t depth;  /* recursive: how often its owner has locked it, less one */
    uint32_t fate;   /* robust: whether its owner has died */
    pthread_t owner; /* all kinds but normal ones that are not robust */
    void *next_held; /* robust: the next one that its owner holds */
} pthread_mutex_t;
typedef struct {
    uint32_t kind;
    int shared, protocol, robust;
} pthread_mutexattr_t;

typedef struct {
    uint32_t lock;
    uint32_t monotonic; /* pthread_cond_timedwait() goes by CLOCK_MONOTONIC */
    struct amalgam_waiter *first, *last;
} pthread_cond_t;
typedef struct {
    int shared;
    clockid_t clock;
} pthread_condattr_t;

typedef uint32_t pthread_once_t;
typedef unsigned pthread_key_t;

struct amalgam_cleanup {
    void (*routine)(void *);
    void *argument;
    struct amalgam_cleanup *before;
};

/* Macros, because programs ask by #ifdef which there are. */
#define PTHREAD_MUTEX_NORMAL        0
#define PTHREAD_MUTEX_ERRORCHECK    1
#define PTHREAD_MUTEX_RECURSIVE     2
#define PTHREAD_MUTEX_DEFAULT       PTHREAD_MUTEX_NORMAL
#define PTHREAD_MUTEX_STALLED       0
#define PTHREAD_MUTEX_ROBUST        1
#define PTHREAD_PRIO_NONE           0
#define PTHREAD_PRIO_INHERIT        1
#define PTHREAD_PRIO_PROTECT        2
#define PTHREAD_PROCESS_PRIVATE     0
#define PTHREAD_PROCESS_SHARED      1
#define PTHREAD_INHERIT_SCHED       0
#define PTHREAD_EXPLICIT_SCHED      1
#define PTHREAD_SCOPE_SYSTEM        0
#define PTHREAD_SCOPE_PROCESS       1
#define PTHREAD_CREATE_JOINABLE     0
#define PTHREAD_CREATE_DETACHED     1
#define PTHREAD_CANCEL_ENABLE       0
#define PTHREAD_CANCEL_DISABLE      1
#define PTHREAD_CANCEL_DEFERRED     0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED            ((void *)-1)

/* clang-format off */
#define PTHREAD_MUTEX_INITIALIZER { 0, PTHREAD_MUTEX_NORMAL, 0, 0, NULL, NULL }
#define PTHREAD_COND_INITIALIZER  { 0, 0, NULL, NULL }
/* clang-format on */
#define PTHREAD_ONCE_INIT 0
#undef PTHREAD_STACK_MIN
#define PTHREAD_STACK_MIN     4096
#define AMALGAM_STACK_DEFAULT 16384
#define PTHREAD_QUEUED_MAX    64
#define PTHREAD_NAME_MAX      16 /* bytes of a thread's name with its end */

/* Each returns 0 or an error number of <errno.h>, and never sets errno. */

/* EAGAIN: no thread or no memory is left, or no thread on the cores that `attr` names; EINVAL: the process has none of
 * these cores. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
/* EDEADLK: it is the calling thread; EINVAL: it is detached or is being joined; ESRCH: it has ended and was joined or
 * detached. (Such a thread has no memory: to name it again is ESRCH as long as no other thread has its memory, unless
 * its stack was of a size of its own.) */
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
/* Runs what was pushed by pthread_cleanup_push(), then the destructors of keys; so does the end of `start`. exit() does
 * not. */
_Noreturn void pthread_exit(void *result);
pthread_t pthread_self(void);
int pthread_equal(pthread_t a, pthread_t b);

/* Returns the core that the calling thread is on. */
int sched_getcpu(void);

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr);
/* EBUSY: it is taken. */
int pthread_mutex_destroy(pthread_mutex_t *m);
/* EDEADLK: its kind is ERRORCHECK and the caller holds it. Of a robust one: EOWNERDEAD: the caller holds it, and its
 * owner has ended with it; ENOTRECOVERABLE: such a mutex was unlocked and was not made consistent. */
int pthread_mutex_lock(pthread_mutex_t *m);
/* ETIMEDOUT; EINVAL: `until` is not a time, or `clock` neither CLOCK_REALTIME, which is that of the first, nor
 * CLOCK_MONOTONIC. */
int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until);
int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until);
/* EBUSY: it is taken. */
int pthread_mutex_trylock(pthread_mutex_t *m);
/* EPERM: its kind is not NORMAL, or it is robust, and the caller does not hold it. */
int pthread_mutex_unlock(pthread_mutex_t *m);
/* What a robust mutex guards is in order again. EINVAL: it was not EOWNERDEAD to the caller. */
int pthread_mutex_consistent(pthread_mutex_t *m);

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr);
/* EBUSY: a thread waits. */
int pthread_cond_destroy(pthread_cond_t *c);
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
/* ETIMEDOUT; EINVAL: `until` is not a time, or `clock` neither CLOCK_REALTIME nor CLOCK_MONOTONIC. The first goes by
 * the clock of the condition's attribute, or else by CLOCK_REALTIME. */
int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *c);
int pthread_cond_broadcast(pthread_cond_t *c);

int pthread_once(pthread_once_t *once, void (*routine)(void));

/* Make a key, for which each thread has a value, at first NULL. When a thread ends, the destructor is called with its
 * value if that is not NULL; values that destructors set are destroyed PTHREAD_DESTRUCTOR_ITERATIONS times at most.
 * EAGAIN: there are PTHREAD_KEYS_MAX. */
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
/* Calls no destructor. EINVAL: there is no such key. */
int pthread_key_delete(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);
/* Returns NULL also if there is no such key. */
void *pthread_getspecific(pthread_key_t key);

/* Call routine(argument) when the thread ends before the pop. Both are in one block. */
#define pthread_cleanup_push(routine, argument)                                                                        \
    do {                                                                                                               \
        struct amalgam_cleanup amalgam_cleanup_entry;                                                                  \
        amalgam_cleanup_push(&amalgam_cleanup_entry, routine, argument);
#define pthread_cleanup_pop(execute)                                                                                   \
    amalgam_cleanup_pop(&amalgam_cleanup_entry, execute);                                                              \
    }                                                                                                                  \
    while (0)
void amalgam_cleanup_push(struct amalgam_cleanup *c, void (*routine)(void *), void *argument);
void amalgam_cleanup_pop(struct amalgam_cleanup *c, int execute);

/* End another thread, or the calling one, with the result PTHREAD_CANCELED: at its next cancellation point, which are
 * those that POSIX requires of the functions that there are, but for stdio's; at once if its type is
 * PTHREAD_CANCEL_ASYNCHRONOUS. What it has pushed by pthread_cleanup_push() runs. ESRCH: it has ended. */
int pthread_cancel(pthread_t thread);
/* EINVAL: there is no such state. */
int pthread_setcancelstate(int state, int *old);
int pthread_setcanceltype(int type, int *old);
void pthread_testcancel(void);

/* Nobody forks, so nothing is called. Returns 0. */
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

/* A thread's name, which is empty at first. ERANGE: the name has PTHREAD_NAME_MAX bytes or more, or there is room for
 * less. */
int pthread_setname_np(pthread_t thread, const char *name);
int pthread_getname_np(pthread_t thread, char *name, size_t size);

#ifdef __cplusplus
}
#endif

#include "amalgam/pthread_attr.h"
#include "amalgam/pthread_sync.h"

#endif
