/* SPDX-License-Identifier: MIT */
/*
 * amalgam/devices.h - the system calls of a process that drives devices of its own, besides those of amalgam/calls.h.
 * In any other process each of them returns -EBADF, on a kernel without such devices -ENOSYS. docs/devices.md explains
 * them.
 */
#ifndef AMALGAM_DEVICES_H
#define AMALGAM_DEVICES_H

#include <amalgam/handle.h>

#include "device_table.h"

#define AMALGAM_HANDLES       32
#define AMALGAM_HANDLE_DEVICE 3 /* what handle_info says of a device's */

/* Returns the handle of the process's device `n`, by its place in the system file's list, from 0 on. -AMALGAM_ENOENT:
 * it has none of that number. */
static inline int64_t amalgam_device_open(unsigned n)
{
    for (unsigned handle = 0; handle < AMALGAM_HANDLES; handle++)
        if (amalgam_handle_info(handle, AMALGAM_HANDLE_INFO_KIND) == AMALGAM_HANDLE_DEVICE && !n--)
            return handle;
    return -AMALGAM_ENOENT;
}

/* The same for a device of class `kind` (AMALGAM_DEVICE_INFO_CLASS) with at least `size` bytes of pinned memory, whose
 * place is then *memory. -AMALGAM_ENODEV: it is another one. */
static inline int64_t amalgam_device_open_kind(unsigned n, int64_t kind, int64_t size, uint8_t **memory)
{
    int64_t found = amalgam_device_open(n);
    if (found < 0)
        return found;
    unsigned device = (unsigned)found;
    if (amalgam_device_info(device, AMALGAM_DEVICE_INFO_CLASS) != kind ||
        amalgam_device_info(device, AMALGAM_DEVICE_INFO_SIZE) < size)
        return -AMALGAM_ENODEV;
    *memory = (uint8_t *)(uintptr_t)amalgam_device_info(device, AMALGAM_DEVICE_INFO_PLACE);
    return found;
}

#endif
