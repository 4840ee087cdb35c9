/* SPDX-License-Identifier: MIT */
/* runtime.c - see nanvix/runtime/runtime.h. Each of these begins once, however often it is called. */
#include <nanvix/runtime/runtime.h>

#include "nanvix.h"

int __runtime_setup(int ring)
{
    static int (*const begin[])(void) = { __stdsync_setup, __stdmailbox_setup, __stdportal_setup, __nanvix_name_setup,
                                          nanvix_pager_begin };
    static const int of_ring[] = { SPAWN_RING_0, SPAWN_RING_0, SPAWN_RING_0, SPAWN_RING_1, SPAWN_RING_5 };
    int error = ring < 0 ? -EINVAL : 0;
    for (unsigned i = 0; !error && i < sizeof(of_ring) / sizeof(of_ring[0]) && of_ring[i] <= ring; i++)
        error = begin[i]();
    return error;
}

int __runtime_cleanup(void)
{
    int error = __stdportal_cleanup();
    error = error ? error : __stdmailbox_cleanup();
    return error ? error : __stdsync_cleanup();
}
