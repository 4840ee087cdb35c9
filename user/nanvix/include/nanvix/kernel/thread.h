/* SPDX-License-Identifier: MIT */
/* nanvix/kernel/thread.h - how many threads there can be, and their numbers. */
#ifndef NANVIX_KERNEL_THREAD_H_
#define NANVIX_KERNEL_THREAD_H_

#include <nanvix/hal.h>

#define SYS_THREAD_MAX         1                            /* the master */
#define THREAD_MAX             (CORES_NUM - SYS_THREAD_MAX) /* threads of the program, with the leader */
#define KTHREAD_MAX            (SYS_THREAD_MAX + THREAD_MAX)
#define KTHREAD_EXIT_VALUE_NUM (3 * KTHREAD_MAX) /* how many values of ended threads are kept for kthread_join() */
#define KTHREAD_NULL_TID       (-1)
#define KTHREAD_MASTER_TID     0
#define KTHREAD_LEADER_TID     SYS_THREAD_MAX

#endif
