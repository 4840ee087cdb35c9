/* SPDX-License-Identifier: MIT */
/* nanvix/const.h - scopes and sizes. */
#ifndef NANVIX_CONST_H_
#define NANVIX_CONST_H_

#include <nanvix/cc.h>
#include <posix/stdbool.h>
#include <posix/stddef.h>
#include <posix/stdint.h>
#include <posix/sys/types.h>

#define PUBLIC
#define PRIVATE static
#define EXTERN  extern

#define KB 1024
#define MB (KB * KB)
#define GB (KB * KB * KB)

#endif
