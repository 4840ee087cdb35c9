/* SPDX-License-Identifier: MIT */
/*
 * amalgam/handle.h - handles: memory, devices and ends of channels that a process was given, besides amalgam/calls.h.
 * docs/handles.md explains them. In a kernel without handles each of these calls returns -ENOSYS.
 */
#ifndef AMALGAM_HANDLE_H
#define AMALGAM_HANDLE_H

#include <amalgam/calls.h>

#include "handle_table.h"

/* Rights: bits of handle_info's answer and of arguments. */
#define AMALGAM_HANDLE_READ  1u
#define AMALGAM_HANDLE_WRITE 2u
#define AMALGAM_HANDLE_SEND  4u /* may be sent to another process */
#define AMALGAM_HANDLE_OWN   8u /* to close it is to withdraw the object from all */

#endif
