/* SPDX-License-Identifier: MIT */
/* posix/sys/types.h - the C library's. */
#ifndef POSIX_SYS_TYPES_H_
#define POSIX_SYS_TYPES_H_

#include <posix/stddef.h>
#include <sys/types.h>

#endif
