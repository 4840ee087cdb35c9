/* SPDX-License-Identifier: MIT */
/*
 * amalgam/devices.h - the system calls of a process that drives devices of its own, besides those of amalgam/calls.h.
 * In any other process each of them returns -ENOENT, on a kernel without such devices -ENOSYS. docs/devices.md explains
 * them.
 */
#ifndef AMALGAM_DEVICES_H
#define AMALGAM_DEVICES_H

#include <amalgam/calls.h>

#include "device_table.h"

#endif
