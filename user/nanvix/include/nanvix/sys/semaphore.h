/* SPDX-License-Identifier: MIT */
/* nanvix/sys/semaphore.h - counting semaphores. Every function returns 0 or a negative error; EINVAL: a pointer is
 * NULL. */
#ifndef NANVIX_SYS_SEMAPHORE_H_
#define NANVIX_SYS_SEMAPHORE_H_

#include <nanvix/kernel/kernel.h>
#include <nanvix/sys/thread.h>

#define NANVIX_SEMAPHORE_MAX 0x1ffffff /* the largest value */

struct nanvix_semaphore {
    uint32_t val;     /* the value; above it how many threads sleep or are about to */
    uint32_t waiting; /* how many threads wait */
};

/* EINVAL also: `val` is negative or above NANVIX_SEMAPHORE_MAX. */
extern int nanvix_semaphore_init(struct nanvix_semaphore *s, int val);
/* Wait while the value is 0, then decrement it. */
extern int nanvix_semaphore_down(struct nanvix_semaphore *s);
/* Increment the value and wake one thread. The semaphore may be freed as soon as another thread has taken what this
 * gave. EOVERFLOW: the value is NANVIX_SEMAPHORE_MAX. */
extern int nanvix_semaphore_up(struct nanvix_semaphore *s);
/* Decrement the value. EINVAL also, as in Nanvix: the value is 0. */
extern int nanvix_semaphore_trywait(struct nanvix_semaphore *s);
/* EBUSY: a thread waits. */
extern int nanvix_semaphore_destroy(struct nanvix_semaphore *s);

#endif
