/* SPDX-License-Identifier: MIT */
/* nanvix/sys/fmutex.h - a spin lock. Every function returns 0, or -EINVAL if the pointer is NULL. */
#ifndef NANVIX_SYS_FMUTEX_H_
#define NANVIX_SYS_FMUTEX_H_

#include <nanvix/kernel/kernel.h>
#include <nanvix/sys/thread.h>

struct nanvix_fmutex {
    spinlock_t lock;
};

static inline int nanvix_fmutex_init(struct nanvix_fmutex *m)
{
    if (!m)
        return -EINVAL;
    spinlock_init(&m->lock);
    return 0;
}

static inline int nanvix_fmutex_lock(struct nanvix_fmutex *m)
{
    if (!m)
        return -EINVAL;
    spinlock_lock(&m->lock);
    return 0;
}

static inline int nanvix_fmutex_unlock(struct nanvix_fmutex *m)
{
    if (!m)
        return -EINVAL;
    spinlock_unlock(&m->lock);
    return 0;
}

#endif
