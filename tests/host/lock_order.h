/* SPDX-License-Identifier: MIT */
/* lock_order.h - what core/lock.h of tests/host and the fake machine tell the checker of locks (lock_order.c). */
#ifndef AMALGAM_TESTS_LOCK_ORDER_H
#define AMALGAM_TESTS_LOCK_ORDER_H

#include <stdbool.h>

/* A place in the source that takes a lock: its file, the lock as it is written there, and its class: 0 at first. */
struct lock_site {
    const char *file, *lock;
    int class;
};

/* A lock is about to be taken, or was given back. `core`: who does it. */
void lock_order_take(const void *lock, struct lock_site *site, const void *core, bool irqs_on);
/* A lock was taken by a core that did not wait. */
void lock_order_took(const void *lock, struct lock_site *site, const void *core);
void lock_order_release(const void *lock);
/* Called before a lock is taken: what another core does just then. */
extern void (*host_at_lock)(const void *lock);
/* A core switches to another thread: of the locks it may hold that of its run queue. */
void lock_order_switch(const void *core);
/* A test begins anew: nothing is held. */
void lock_order_forget(void);
/* An order is wrong. A test of the checker defines it; otherwise the program says so and ends. */
void lock_order_failed(const char *what);

#endif
