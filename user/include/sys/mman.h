/* SPDX-License-Identifier: MIT */
/*
 * sys/mman.h - maps pages from the memory that the system file gives the process.
 *
 * Mappings are anonymous, with pages that are zero, or private ones of files, which are copies: of what the file has
 * when it is mapped, and zeros behind its end. A shared mapping of a file is ENOTSUP, and so are mappings that are both
 * writable and executable, and PROT_NONE. Without MAP_FIXED the kernel chooses the address, with an unmapped page
 * on either side.
 */
#ifndef _SYS_MMAN_H
#define _SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROT_NONE  0
#define PROT_READ  1
#define PROT_WRITE 2 /* and read */
#define PROT_EXEC  4 /* and read */

#define MAP_SHARED    0x01
#define MAP_PRIVATE   0x02
#define MAP_FIXED     0x10
#define MAP_ANONYMOUS 0x20
#define MAP_ANON      MAP_ANONYMOUS
#define MAP_FAILED    ((void *)-1)

/* Returns MAP_FAILED with ENOTSUP, EINVAL or ENOMEM; of a file also with EBADF, EACCES or ENODEV. After ENOMEM with
 * MAP_FIXED the range is unmapped. */
void *mmap(void *address, size_t n, int prot, int flags, int file, off_t offset);
/* Returns 0, or -1 with EINVAL. */
int munmap(void *address, size_t n);
/* Returns 0, or -1 with ENOTSUP, EINVAL, or ENOMEM if a page is not mapped. */
int mprotect(void *address, size_t n, int prot);

#ifdef __cplusplus
}
#endif

#endif
