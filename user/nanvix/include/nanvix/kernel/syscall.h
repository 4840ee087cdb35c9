/* SPDX-License-Identifier: MIT */
/*
 * nanvix/kernel/syscall.h - Nanvix' kernel calls by number. Most of them are done by functions of this library. A
 * number that Nanvix does not have is the "void remote call" of its benchmarks: it goes to the master core of the
 * cluster, or to the kernel if there is no master, and returns -EINVAL. A call of Nanvix that this library does not
 * have returns -ENOSYS.
 */
#ifndef NANVIX_SYSCALL_H_
#define NANVIX_SYSCALL_H_

#include <amalgam/clusters.h>
#include <nanvix/hal.h>
#include <posix/errno.h>

#define NR__exit           1
#define NR_write           2
#define NR_thread_get_id   3
#define NR_thread_create   4
#define NR_thread_exit     5
#define NR_thread_join     6
#define NR_thread_yield    7
#define NR_sleep           8
#define NR_wakeup          9
#define NR_shutdown        10
#define NR_sigctl          11
#define NR_alarm           12
#define NR_sigsend         13
#define NR_sigwait         14
#define NR_sigreturn       15
#define NR_node_get_num    16
#define NR_sync_create     17
#define NR_sync_open       18
#define NR_sync_unlink     19
#define NR_sync_close      20
#define NR_sync_wait       21
#define NR_sync_signal     22
#define NR_sync_ioctl      23
#define NR_mailbox_create  24
#define NR_mailbox_open    25
#define NR_mailbox_unlink  26
#define NR_mailbox_close   27
#define NR_mailbox_awrite  28
#define NR_mailbox_aread   29
#define NR_mailbox_wait    30
#define NR_mailbox_ioctl   31
#define NR_portal_create   32
#define NR_portal_allow    33
#define NR_portal_open     34
#define NR_portal_unlink   35
#define NR_portal_close    36
#define NR_portal_awrite   37
#define NR_portal_aread    38
#define NR_portal_wait     39
#define NR_portal_ioctl    40
#define NR_clock           42
#define NR_stats           43
#define NR_frame_alloc     44
#define NR_frame_free      45
#define NR_upage_alloc     46
#define NR_upage_free      47
#define NR_upage_map       48
#define NR_upage_link      49
#define NR_upage_unlink    50
#define NR_upage_unmap     51
#define NR_excp_ctrl       52
#define NR_excp_pause      53
#define NR_excp_resume     54
#define NR_cluster_get_num 55
#define NR_comm_get_port   56
#define NR_last_kcall      57
#define NR_SYSCALLS        NR_last_kcall

/* The tid of each thread, by the thread's number in the kernel, which amalgam_thread_self() returns. */
#define NANVIX_THREADS 64
extern int nanvix_tid[NANVIX_THREADS];

/* Make a kernel call by number. Returns at least 0, or a negative error of posix/errno.h. */
extern word_t nanvix_kcall(word_t number, word_t a, word_t b, word_t c, word_t d, word_t e);

/* With a constant number this compiles to the kernel's own call, where there is one, and nothing more. */
static inline __attribute__((always_inline)) word_t kcall0(word_t number)
{
    if (__builtin_constant_p(number) && number == NR_thread_get_id)
        return (word_t)nanvix_tid[amalgam_thread_self()];
    if (__builtin_constant_p(number) && number == NR_SYSCALLS)
        return amalgam_remote_null(), (word_t)-EINVAL;
    return nanvix_kcall(number, 0, 0, 0, 0, 0);
}

static inline word_t kcall1(word_t number, word_t a) { return nanvix_kcall(number, a, 0, 0, 0, 0); }

static inline word_t kcall2(word_t number, word_t a, word_t b) { return nanvix_kcall(number, a, b, 0, 0, 0); }

static inline word_t kcall3(word_t number, word_t a, word_t b, word_t c) { return nanvix_kcall(number, a, b, c, 0, 0); }

static inline word_t kcall4(word_t number, word_t a, word_t b, word_t c, word_t d)
{
    return nanvix_kcall(number, a, b, c, d, 0);
}

static inline word_t kcall5(word_t number, word_t a, word_t b, word_t c, word_t d, word_t e)
{
    return nanvix_kcall(number, a, b, c, d, e);
}

#endif
