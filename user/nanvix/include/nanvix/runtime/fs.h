/* SPDX-License-Identifier: MIT */
/* nanvix/runtime/fs.h - all of the runtime that is about files. */
#ifndef NANVIX_RUNTIME_FS_H_
#define NANVIX_RUNTIME_FS_H_

#include <nanvix/runtime/fs/vfs.h>

#endif
