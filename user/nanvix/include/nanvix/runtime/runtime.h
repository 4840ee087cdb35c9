/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/runtime.h - all of the runtime, and its begin. What a program calls begins by itself, but for the
 * pager: the thread that brings remote memory which is accessed (mm/manager.h).
 */
#ifndef NANVIX_RUNTIME_RUNTIME_H_
#define NANVIX_RUNTIME_RUNTIME_H_

#include <nanvix/runtime/barrier.h>
#include <nanvix/runtime/fs.h>
#include <nanvix/runtime/mm.h>
#include <nanvix/runtime/pm.h>
#include <nanvix/runtime/stdikc.h>

#define SPAWN_RING_0     0 /* the calling thread's mailbox and portal, the barrier of all clusters */
#define SPAWN_RING_1     1 /* names */
#define SPAWN_RING_2     2
#define SPAWN_RING_3     3
#define SPAWN_RING_4     4
#define SPAWN_RING_5     5 /* the pager */
#define SPAWN_RING_FIRST SPAWN_RING_0
#define SPAWN_RING_LAST  SPAWN_RING_5

/* Begin all rings up to this one. Returns 0 or a negative error; -EINVAL: a negative ring. */
extern int __runtime_setup(int ring);
/* End what the calling thread has of ring 0, and the barrier. -EBUSY: a message waits. */
extern int __runtime_cleanup(void);

#endif
