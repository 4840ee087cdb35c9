/* SPDX-License-Identifier: MIT */
/* nanvix/sys/semaphore.h - counting semaphores. Every function returns 0 or a negative error; EINVAL: a pointer is
 * NULL. */
#ifndef NANVIX_SYS_SEMAPHORE_H_
#define NANVIX_SYS_SEMAPHORE_H_

#include <nanvix/kernel/kernel.h>
#include <nanvix/sys/thread.h>

struct nanvix_semaphore {
    uint32_t val;
    uint32_t waiting; /* how many threads wait, or are about to */
};

/* EINVAL also: `val` is negative. */
extern int nanvix_semaphore_init(struct nanvix_semaphore *s, int val);
/* Take one; wait while there is none. */
extern int nanvix_semaphore_down(struct nanvix_semaphore *s);
/* Give one, and wake one thread. EOVERFLOW: it stands at INT_MAX. */
extern int nanvix_semaphore_up(struct nanvix_semaphore *s);
/* Take one. EINVAL also: there is none (so it is in Nanvix). */
extern int nanvix_semaphore_trywait(struct nanvix_semaphore *s);
/* EBUSY: somebody waits. */
extern int nanvix_semaphore_destroy(struct nanvix_semaphore *s);

#endif
