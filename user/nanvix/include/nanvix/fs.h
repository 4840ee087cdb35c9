/* SPDX-License-Identifier: MIT */
/* nanvix/fs.h - files of a file server. */
#ifndef NANVIX_FS_H_
#define NANVIX_FS_H_

#include <nanvix/runtime/fs.h>

#endif
