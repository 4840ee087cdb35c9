/* SPDX-License-Identifier: MIT */
/*
 * thread_number.c - which thread has which number of the kernel's, where its signals are sent to. A thread has its
 * number from its first instructions until kthread_exit(); then the kernel gives it to a later thread. Who sends a
 * signal holds the table, so that the thread it has found there stays until the signal is sent.
 *
 * A handler may send a signal while the thread that it has interrupted holds the table. Nobody else holds it then, and
 * that thread changes nothing meanwhile, so the handler goes on.
 */
#include <nanvix/sys/thread.h>

#include "nanvix.h"

int nanvix_tid[NANVIX_THREADS] = { KTHREAD_LEADER_TID };

static uint32_t holder; /* core_get_id() of the thread that holds the table; 0: none */

/* Returns whether the caller has to give the table back. */
static bool hold(void)
{
    uint32_t self = (uint32_t)core_get_id(), none = 0;
    if (__atomic_load_n(&holder, __ATOMIC_RELAXED) == self)
        return false;
    for (unsigned turn = 0;
         !__atomic_compare_exchange_n(&holder, &none, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); none = 0)
        nanvix_relax(turn++);
    return true;
}

static void give_back(bool held)
{
    if (held)
        __atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
}

void nanvix_thread_set_number(int tid)
{
    bool held = hold();
    __atomic_store_n(&nanvix_tid[amalgam_thread_self()], tid, __ATOMIC_RELAXED);
    give_back(held);
}

/* Returns -AMALGAM_EBUSY if the thread has no number. */
static int64_t send(int tid, uint32_t signal)
{
    int64_t result = -AMALGAM_EBUSY;
    bool held = hold();
    for (uint32_t i = 0; i < NANVIX_THREADS && result == -AMALGAM_EBUSY; i++)
        if (__atomic_load_n(&nanvix_tid[i], __ATOMIC_RELAXED) == tid)
            result = amalgam_signal_send(i, signal);
    give_back(held);
    return result;
}

int64_t nanvix_thread_signal(int tid, uint32_t signal)
{
    int64_t result = -AMALGAM_EBUSY;
    for (unsigned turn = 0; result == -AMALGAM_EBUSY && nanvix_thread_lives(tid); turn++) {
        result = send(tid, signal);
        if (result == -AMALGAM_EBUSY) /* it begins, or ends */
            nanvix_relax(turn);
    }
    return result == -AMALGAM_EBUSY ? -AMALGAM_EINVAL : result;
}
