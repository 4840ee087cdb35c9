/* SPDX-License-Identifier: MIT */
/* kcall.c - kernel calls by number (nanvix/kernel/syscall.h), and the conversion of the kernel's errors to Nanvix'. */
#include <nanvix/sys/excp.h>
#include <nanvix/sys/frame.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/page.h>
#include <nanvix/sys/perf.h>
#include <nanvix/sys/thread.h>

#include "nanvix.h"

__thread int nanvix_errno;

long nanvix_result(int64_t result)
{
    if (result >= 0)
        return (long)result;
    switch (-result) {
    case AMALGAM_EACCES: return -EACCES;
    case AMALGAM_EAGAIN: return -EAGAIN;
    case AMALGAM_EBADF: return -EBADF;
    case AMALGAM_EBUSY: return -EBUSY;
    case AMALGAM_EFAULT: return -EFAULT;
    case AMALGAM_EIO: return -EIO;
    case AMALGAM_ENOSYS: return -ENOSYS;
    case AMALGAM_ENOMEM: return -EAGAIN; /* Nanvix' error if there are no frames */
    case AMALGAM_EEXIST: return -EADDRINUSE;
    case AMALGAM_ETIMEDOUT: return -ETIMEDOUT;
    default: return -EINVAL; /* for EINVAL and ERANGE */
    }
}

bool nanvix_is_readable(const void *at)
{
    return amalgam_wait((const uint32_t *)((uintptr_t)at & -sizeof(uint32_t)), 0, 0) != -AMALGAM_EFAULT;
}

int nanvix_answer(int result)
{
    if (result >= 0)
        return result;
    errno = -result;
    return -1;
}

static long threads(word_t number, word_t a, word_t b, word_t c)
{
    switch (number) {
    case NR__exit: _kexit((int)a); break;
    case NR_thread_get_id: return nanvix_tid[amalgam_thread_self()];
    case NR_thread_create: return nanvix_thread_create((int *)a, (void *(*)(void *))b, (void *)c);
    case NR_thread_exit: kthread_exit((void *)a);
    case NR_thread_join: return nanvix_thread_join((int)a, (void **)b);
    case NR_thread_yield: return nanvix_thread_yield();
    case NR_sleep: return nanvix_thread_sleep();
    case NR_wakeup: return nanvix_thread_wakeup((int)a);
    default: return kshutdown();
    }
    return -ENOSYS;
}

static long others(word_t number, word_t a, word_t b, word_t c)
{
    switch (number) {
    case NR_write: return nanvix_console_line((int)a, (const char *)b, (size_t)c);
    case NR_sigctl: return nanvix_signal_control((int)a, (const struct ksigaction *)b);
    case NR_alarm: return nanvix_signal_alarm((int)a);
    case NR_sigsend: return nanvix_signal_send((int)a, (int)b);
    case NR_sigwait: return nanvix_signal_wait((int)a);
    case NR_sigreturn: return nanvix_signal_return();
    case NR_node_get_num: return knode_get_num();
    case NR_cluster_get_num: return kcluster_get_num();
    case NR_comm_get_port: return kcomm_get_port((int)a, (int)b);
    case NR_clock: return kclock((uint64_t *)a);
    case NR_stats: return kstats((uint64_t *)a, (int)b);
    case NR_frame_alloc: return (long)kframe_alloc();
    case NR_frame_free: return kframe_free(a);
    case NR_upage_alloc: return page_alloc(a);
    case NR_upage_free: return page_free(a);
    case NR_upage_map: return page_map(a, b);
    case NR_upage_link: return page_link(a, b);
    case NR_upage_unmap: return page_unmap(a);
    case NR_excp_ctrl: return excp_ctrl((int)a, (int)b);
    case NR_excp_pause: return excp_pause((struct exception *)a);
    case NR_excp_resume: return excp_resume();
    default: return -ENOSYS;
    }
}

/* A number that Nanvix does not have. Its kernel lets the master core refuse it, so this makes a remote call, too. */
static long unknown(void)
{
    amalgam_remote_null();
    return -EINVAL;
}

word_t nanvix_kcall(word_t number, word_t a, word_t b, word_t c, word_t d, word_t e)
{
    (void)d, (void)e;
    long result;
    if (number == 0 || number >= NR_SYSCALLS)
        result = unknown();
    else if (number != NR_write && number <= NR_shutdown)
        result = threads(number, a, b, c);
    else
        result = others(number, a, b, c);
    return (word_t)result;
}
