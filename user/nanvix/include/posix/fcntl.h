/* SPDX-License-Identifier: MIT */
/* posix/fcntl.h - flags of nanvix_vfs_open(): Nanvix' own. They differ from those of the C library's <fcntl.h>: include
 * one of the two. */
#ifndef POSIX_FCNTL_H_
#define POSIX_FCNTL_H_

#define O_ACCMODE 00003
#define O_RDONLY  00000
#define O_WRONLY  00001
#define O_RDWR    00002
#define O_CREAT   00100
#define O_EXCL    00200
#define O_TRUNC   01000
#define O_APPEND  02000

#endif
