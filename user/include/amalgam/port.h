/* SPDX-License-Identifier: MIT */
/*
 * amalgam/port.h - the system calls of a process that has ports of the guests' switches, besides those of
 * amalgam/calls.h. In any other process each of them returns -EBADF, on a kernel without such ports -ENOSYS.
 * docs/network.md explains them.
 */
#ifndef AMALGAM_PORT_H
#define AMALGAM_PORT_H

#include <amalgam/handle.h>

#include "port_table.h"

#define AMALGAM_HANDLE_NET 6 /* what handle_info says of a port's */
#define AMALGAM_PORT_FRAME 1522u

/* Returns the handle of the process's port `n`, by its place in the system file's list, from 0 on. -AMALGAM_ENOENT: it
 * has none of that number. */
static inline int64_t amalgam_port_open(unsigned n)
{
    for (unsigned handle = 0; handle < 32; handle++)
        if (amalgam_handle_info(handle, AMALGAM_HANDLE_INFO_KIND) == AMALGAM_HANDLE_NET && !n--)
            return handle;
    return -AMALGAM_ENOENT;
}

#endif
