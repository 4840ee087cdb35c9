/* SPDX-License-Identifier: MIT */
/*
 * amalgam/status.h - how all domains of the board do, for a process of which the system file says `status: read`, and
 * their priorities, with `status: control` (docs/status.md). In any other process amalgam_status_open() returns an
 * error, on a kernel without this each call returns -ENOSYS.
 */
#ifndef AMALGAM_STATUS_H
#define AMALGAM_STATUS_H

#include <amalgam/handle.h>

#include "status_table.h"

#define AMALGAM_HANDLE_STATUS 9 /* what handle_info says of it */

struct amalgam_board_status {
    uint32_t domains, cores, windows, channels; /* how many there are */
    uint64_t up;                                /* nanoseconds of the clock */
};

enum amalgam_domain_state {
    AMALGAM_DOMAIN_EMPTY,
    AMALGAM_DOMAIN_STOPPED,
    AMALGAM_DOMAIN_RUNNING,
    AMALGAM_DOMAIN_STOPPING
};

struct amalgam_domain_status {
    char name[16];
    uint8_t kind;  /* 1 a VM, 2 a native task, 3 a process, 4 a native program */
    uint8_t state; /* enum amalgam_domain_state */
    /* how its last life has ended: 0 none has, 1 power-off, 2 reset, 3 triple fault, 4 its watchdog, 5 it was stopped,
     * 6 a fault, 7 it was done, 8 it could not start */
    uint8_t end;
    uint8_t priority;          /* the highest of its threads */
    uint32_t starts, restarts; /* all; by its restart policy */
    uint32_t threads;
    uint64_t memory, run; /* bytes; nanoseconds that the threads of its present or last life had a core */
    uint64_t switches;    /* how often they got one */
};

struct amalgam_core_status {
    uint32_t online, segments; /* of its frame: windows, and gaps between them; 0: no frame */
    uint64_t frame, edges;     /* nanoseconds; windows that have begun */
    uint64_t late, idle;       /* nanoseconds: the latest of them since `cpus` at the control console; without work */
};

struct amalgam_window_status {
    uint32_t core, domain;  /* domain 0xffff: of all that have no window there */
    uint32_t start, length; /* microseconds, in the core's frame */
};

struct amalgam_channel_status {
    char name[16];
    uint32_t a, b, size, granted; /* its ends' domains; bytes of its memory */
    uint32_t rings[2];            /* that each end has sent; they come round */
};

/* Returns the process's handle of the status; -AMALGAM_ENOENT: it has none. */
static inline int64_t amalgam_status_open(void)
{
    for (unsigned handle = 0; handle < 32; handle++)
        if (amalgam_handle_info(handle, AMALGAM_HANDLE_INFO_KIND) == AMALGAM_HANDLE_STATUS)
            return handle;
    return -AMALGAM_ENOENT;
}

/* Each copies a record and returns whether there is one of that number. */
static inline int amalgam_status_copy(int64_t handle, unsigned what, unsigned n, void *to, size_t size)
{
    return handle >= 0 && amalgam_status_read((unsigned)handle, what + 256 * n, to, size) >= (int64_t)size;
}
static inline int amalgam_board_status(int64_t handle, struct amalgam_board_status *to)
{
    return amalgam_status_copy(handle, 0, 0, to, sizeof(*to));
}
static inline int amalgam_domain_status(int64_t handle, unsigned n, struct amalgam_domain_status *to)
{
    return amalgam_status_copy(handle, 1, n, to, sizeof(*to));
}
static inline int amalgam_core_status(int64_t handle, unsigned n, struct amalgam_core_status *to)
{
    return amalgam_status_copy(handle, 2, n, to, sizeof(*to));
}
static inline int amalgam_window_status(int64_t handle, unsigned n, struct amalgam_window_status *to)
{
    return amalgam_status_copy(handle, 3, n, to, sizeof(*to));
}
static inline int amalgam_channel_status(int64_t handle, unsigned n, struct amalgam_channel_status *to)
{
    return amalgam_status_copy(handle, 4, n, to, sizeof(*to));
}

#endif
