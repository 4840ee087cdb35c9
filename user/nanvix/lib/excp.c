/* SPDX-License-Identifier: MIT */
/* excp.c - page faults, which one thread of the program handles: the first one that calls excp_pause(), until it ends.
 */
#include <nanvix/sys/excp.h>

#include "nanvix.h"

static bool handled, pager; /* page faults shall be handled; a thread has called excp_pause() */
static int told = -1;       /* the thread whose fault is being handled; -1: none */

int excp_ctrl(int excpnum, int action)
{
    bool known = action == EXCP_ACTION_IGNORE || action == EXCP_ACTION_HANDLE;
    if (!exception_is_valid(excpnum) || !known)
        return -EINVAL;
    if (excpnum != EXCEPTION_PAGE_FAULT)
        return 0;
    if (action == EXCP_ACTION_IGNORE && __atomic_load_n(&pager, __ATOMIC_ACQUIRE))
        return -EPERM;
    __atomic_store_n(&handled, action == EXCP_ACTION_HANDLE, __ATOMIC_RELEASE);
    return (int)nanvix_result(amalgam_fault_keep(action == EXCP_ACTION_HANDLE));
}

int excp_pause(struct exception *excp)
{
    uint64_t fault[2];
    if (!__atomic_load_n(&handled, __ATOMIC_ACQUIRE))
        return -EPERM;
    __atomic_store_n(&pager, true, __ATOMIC_RELEASE);
    int64_t thread;
    do
        thread = amalgam_fault_wait(fault);
    while (thread == -AMALGAM_EINTR);
    if (thread < 0)
        return (int)nanvix_result(thread);
    if (excp)
        *excp = (struct exception){ EXCEPTION_PAGE_FAULT, (word_t)fault[0], (word_t)fault[1] };
    __atomic_store_n(&told, (int)thread, __ATOMIC_RELEASE);
    return 0;
}

int excp_resume(void)
{
    int thread = __atomic_exchange_n(&told, -1, __ATOMIC_ACQ_REL);
    return thread < 0 ? -EINVAL : (int)nanvix_result(amalgam_fault_resume((uint32_t)thread));
}
