/* SPDX-License-Identifier: MIT */
/* nanvix/sys/dev.h - the console. */
#ifndef NANVIX_SYS_DEV_H_
#define NANVIX_SYS_DEV_H_

#include <nanvix/kernel/kernel.h>

/*
 * Write a text as one line to the process's console: a newline is added where there is none at its end. `fd` is any
 * number. Returns `n`, or -1 with errno: EINVAL: `fd` is negative, `text` NULL, or `n` above 512; EFAULT: it is not all
 * the process's.
 */
extern ssize_t nanvix_write(int fd, const char *text, size_t n);

#endif
