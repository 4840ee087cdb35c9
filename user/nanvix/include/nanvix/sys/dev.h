/* SPDX-License-Identifier: MIT */
/* nanvix/sys/dev.h - the console. */
#ifndef NANVIX_SYS_DEV_H_
#define NANVIX_SYS_DEV_H_

#include <nanvix/kernel/kernel.h>

/*
 * Write a text as one line to the process's console; a newline is added if the text ends without one. `fd` may be any
 * number from 0 on. Returns `n`, or -1 with errno: EINVAL: `fd` is negative, `text` is NULL, or `n` is above 512;
 * EFAULT: the text is not all the process's memory.
 */
extern ssize_t nanvix_write(int fd, const char *text, size_t n);

#endif
