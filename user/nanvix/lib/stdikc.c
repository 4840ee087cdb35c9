/* SPDX-License-Identifier: MIT */
/* stdikc.c - see nanvix/runtime/stdikc.h. Ports from NANVIX_GENERAL_PORTS_BASE on are left to programs. */
#include <amalgam/clusters.h>
#include <nanvix/runtime/barrier.h>
#include <nanvix/runtime/pm/mailbox.h>
#include <nanvix/runtime/stdikc.h>
#include <nanvix/sys/mailbox.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/portal.h>
#include <nanvix/sys/thread.h>

#include "nanvix.h"

#define NONE     (-1)
#define CLUSTERS 32 /* that a board has at most */

static _Thread_local int inbox = NONE, inportal = NONE;
static barrier_t all = { NONE, { NONE, NONE } };
static uint32_t lock;

/* A thread's place is its own while it lives, and comes again when it has ended. */
static int own_port(void) { return core_get_id() % NANVIX_GENERAL_PORTS_BASE; }

int __stdmailbox_setup(void)
{
    if (inbox < 0)
        inbox = kmailbox_create(knode_get_num(), own_port());
    return inbox < 0 ? inbox : 0;
}

int __stdmailbox_cleanup(void)
{
    int error = inbox < 0 ? 0 : kmailbox_unlink(inbox);
    if (!error)
        inbox = NONE;
    return error;
}

int __stdportal_setup(void)
{
    if (inportal < 0)
        inportal = kportal_create(knode_get_num(), own_port());
    return inportal < 0 ? inportal : 0;
}

int __stdportal_cleanup(void)
{
    int error = inportal < 0 ? 0 : kportal_unlink(inportal);
    if (!error)
        inportal = NONE;
    return error;
}

int stdinbox_get(void)
{
    int error = __stdmailbox_setup();
    return error ? error : inbox;
}

int stdinportal_get(void)
{
    int error = __stdportal_setup();
    return error ? error : inportal;
}

int stdinbox_get_port(void) { return own_port(); }
int stdinportal_get_port(void) { return own_port(); }

/* Of all clusters that the board has, whatever the program was compiled for. */
int __stdsync_setup(void)
{
    int nodes[CLUSTERS];
    int64_t n = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES);
    if (n < 0)
        return (int)nanvix_result(n);
    for (int i = 0; i < n && i < CLUSTERS; i++)
        nodes[i] = i;
    nanvix_lock_take(&lock);
    if (!BARRIER_IS_VALID(all) && n > 1)
        all = barrier_create(nodes, (int)n);
    nanvix_lock_drop(&lock);
    return BARRIER_IS_VALID(all) || n == 1 ? 0 : -EAGAIN;
}

int __stdsync_cleanup(void)
{
    nanvix_lock_take(&lock);
    int error = BARRIER_IS_VALID(all) ? barrier_destroy(all) : 0;
    all = BARRIER_NULL;
    nanvix_lock_drop(&lock);
    return error;
}

int stdsync_fence(void)
{
    int error = __stdsync_setup();
    return error || !BARRIER_IS_VALID(all) ? error : barrier_wait(all);
}
