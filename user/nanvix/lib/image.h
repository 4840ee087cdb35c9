/* SPDX-License-Identifier: MIT */
/* image.h - a program's file, for who sends it. */
#ifndef AMALGAM_NANVIX_IMAGE_H
#define AMALGAM_NANVIX_IMAGE_H

#include <stddef.h>

/* Returns how many of the file's first bytes are loaded, or hold its headers: what is behind them (symbols, debug
 * information) need not be sent. A negative error of posix/errno.h: it is no program for this processor. The kernel
 * checks it again. */
long image_size(const void *file, size_t size);

#endif
