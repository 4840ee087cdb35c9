/* SPDX-License-Identifier: MIT */
/* vfs_wire_errors.c - see vfs_errors.h. */
#include "vfs_errors.h"

#include <errno.h>

const int vfs_wire_errors[] = { VFS_ERRORS(VFS_NUMBER) 0 };
