/* SPDX-License-Identifier: MIT */
/*
 * pthread.h - the part of POSIX threads that processes have.
 *
 * Each thread is a thread of the kernel. The system file says how many a process may have (`threads:`). There is an
 * unmapped page below each stack. Mutexes and conditions are words in memory; locking a free mutex makes no system
 * call. A thread stays on the core where it was started. There are no priorities and no cancellation. Both clocks
 * count from the board's start.
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
    pthread_t owner; /* recursive and errorcheck */
} pthread_mutex_t;
typedef struct {
    uint32_t kind;
} pthread_mutexattr_t;

typedef struct {
    uint32_t lock;
    struct amalgam_waiter *first, *last;
} pthread_cond_t;
typedef struct {
    char nothing;
} pthread_condattr_t;

typedef uint32_t pthread_once_t;
typedef unsigned pthread_key_t;

struct amalgam_cleanup {
    void (*routine)(void *);
    void *argument;
    struct amalgam_cleanup *before;
};

enum { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE };
#define PTHREAD_MUTEX_DEFAULT PTHREAD_MUTEX_NORMAL
enum { PTHREAD_CREATE_JOINABLE, PTHREAD_CREATE_DETACHED };
enum { PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DISABLE };
enum { PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS };
#define PTHREAD_CANCELED ((void *)-1)

/* clang-format off */
#define PTHREAD_MUTEX_INITIALIZER { 0, PTHREAD_MUTEX_NORMAL, 0, NULL }
#define PTHREAD_COND_INITIALIZER  { 0, NULL, NULL }
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

int pthread_attr_init(pthread_attr_t *attr);
int pthread_attr_destroy(pthread_attr_t *attr);
/* EINVAL: less than PTHREAD_STACK_MIN. */
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size);
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
/* Returns the core that the calling thread is on. */
int sched_getcpu(void);

int pthread_mutexattr_init(pthread_mutexattr_t *attr);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attr);
int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int kind);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *kind);
int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr);
/* EBUSY: it is taken. */
int pthread_mutex_destroy(pthread_mutex_t *m);
/* EDEADLK: its kind is ERRORCHECK and the caller holds it. */
int pthread_mutex_lock(pthread_mutex_t *m);
/* ETIMEDOUT; EINVAL: `until` is not a time. */
int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until);
/* EBUSY: it is taken. */
int pthread_mutex_trylock(pthread_mutex_t *m);
/* EPERM: its kind is not NORMAL and the caller does not hold it. */
int pthread_mutex_unlock(pthread_mutex_t *m);

int pthread_condattr_init(pthread_condattr_t *attr);
int pthread_condattr_destroy(pthread_condattr_t *attr);
int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr);
/* EBUSY: a thread waits. */
int pthread_cond_destroy(pthread_cond_t *c);
int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
/* ETIMEDOUT; EINVAL: `until` is not a time. */
int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
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

/* No thread can be cancelled; these are kept and do nothing. EINVAL: there is no such state. */
int pthread_setcancelstate(int state, int *old);
int pthread_setcanceltype(int type, int *old);
void pthread_testcancel(void);

/* A thread's name, which is empty at first. ERANGE: the name has PTHREAD_NAME_MAX bytes or more, or there is room for
 * less. */
int pthread_setname_np(pthread_t thread, const char *name);
int pthread_getname_np(pthread_t thread, char *name, size_t size);

#ifdef __cplusplus
}
#endif

#endif
