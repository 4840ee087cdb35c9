/* SPDX-License-Identifier: MIT */
/* sys/uio.h - reads and writes of several pieces. */
#ifndef _SYS_UIO_H
#define _SYS_UIO_H

#include <limits.h>
#include <sys/types.h>

#undef IOV_MAX
#define IOV_MAX 1024

#ifdef __cplusplus
extern "C" {
#endif

struct iovec {
    void *iov_base;
    size_t iov_len;
};

ssize_t readv(int number, const struct iovec *piece, int n);
ssize_t writev(int number, const struct iovec *piece, int n);

#ifdef __cplusplus
}
#endif

#endif
