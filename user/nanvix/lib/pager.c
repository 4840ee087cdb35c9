/* SPDX-License-Identifier: MIT */
/*
 * pager.c - the thread that brings remote memory which another thread accesses (nanvix/runtime/mm/manager.h).
 *
 * What it cannot bring ends the process, by the kernel's report of that very access: without a pager, and with faults
 * that wait for none, the access is repeated and fails.
 */
#include <nanvix/runtime/mm/manager.h>
#include <nanvix/sys/excp.h>
#include <nanvix/sys/thread.h>

#include "nanvix.h"

#define TRIES    10u
#define PAUSE_NS 100000000ull

static uint32_t lock;
static bool begun;

/* A server that has not answered is asked again for a while, as the process is over if it does not. */
static bool bring(vaddr_t at)
{
    int error = nanvix_rfault(at);
    for (unsigned i = 0; error == -EIO && i < TRIES; i++) {
        uint64_t until = amalgam_clock() + PAUSE_NS;
        while (amalgam_sleep_until(until) == -AMALGAM_EINTR)
            ; /* the patience of the question before */
        error = nanvix_rfault(at);
    }
    return !error;
}

/* Pages that are shown are not executed: who tries would be told to try again for ever. */
static void *page_in(void *unused)
{
    struct exception e;
    bool brought = true;
    UNUSED(unused);
    while (brought && !excp_pause(&e)) {
        vaddr_t at = exception_get_addr(&e);
        brought = at != exception_get_instr(&e) && bring(at);
        if (brought)
            excp_resume();
    }
    if (!brought)
        amalgam_fault_keep(false);
    return NULL;
}

int nanvix_pager_begin(void)
{
    kthread_t pager;
    nanvix_lock_take(&lock);
    int error = begun ? 0 : excp_ctrl(EXCEPTION_PAGE_FAULT, EXCP_ACTION_HANDLE);
    if (!error && !begun && kthread_create(&pager, page_in, NULL)) {
        excp_ctrl(EXCEPTION_PAGE_FAULT, EXCP_ACTION_IGNORE);
        error = -EAGAIN;
    }
    begun |= !error;
    nanvix_lock_drop(&lock);
    return error;
}
