/* SPDX-License-Identifier: MIT */
/*
 * mutex_robust.c - mutexes whose owner may end (POSIX, pthread_mutexattr_setrobust()). Each thread has a list of the
 * robust ones that it holds; when it ends it gives them back, and says in each that it has died with it. Only the
 * holder of a mutex reads and writes its `fate`.
 */
#include <errno.h>

#include "lock.h"
#include "mutex.h"
#include "thread.h"

enum { CONSISTENT, OWNER_DIED, LOST };

static _Thread_local pthread_mutex_t *held;

static void give_back(pthread_mutex_t *m)
{
    __atomic_store_n(&m->owner, NULL, __ATOMIC_RELAXED);
    lock_drop(&m->lock);
}

static int taken(pthread_mutex_t *m)
{
    if (m->fate == LOST) {
        give_back(m);
        return ENOTRECOVERABLE;
    }
    m->next_held = held;
    held = m;
    return m->fate == OWNER_DIED ? EOWNERDEAD : 0;
}

static void dropping(pthread_mutex_t *m)
{
    pthread_mutex_t *before = held;
    if (held == m) {
        held = m->next_held;
    } else {
        while (before->next_held != m)
            before = before->next_held;
        before->next_held = m->next_held;
    }
    if (m->fate == OWNER_DIED)
        m->fate = LOST;
}

/* At the end of a thread. */
static void leave(void)
{
    while (held) {
        pthread_mutex_t *m = held;
        held = m->next_held;
        m->depth = 0;
        m->fate = OWNER_DIED;
        give_back(m);
    }
}

static const struct robust_hooks own = { taken, dropping };

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust)
{
    if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST)
        return EINVAL;
    thread_leave_by(LEAVE_ROBUST, leave);
    __atomic_store_n(&robust_hooks, &own, __ATOMIC_RELEASE);
    attr->robust = robust;
    return 0;
}

int pthread_mutex_consistent(pthread_mutex_t *m)
{
    bool mine = __atomic_load_n(&m->owner, __ATOMIC_RELAXED) == thread_self();
    if (!(m->kind & MUTEX_ROBUST) || !mine || m->fate != OWNER_DIED)
        return EINVAL;
    m->fate = CONSISTENT;
    return 0;
}
