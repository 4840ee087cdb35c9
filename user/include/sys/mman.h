/* SPDX-License-Identifier: MIT */
/*
 * sys/mman.h - memory by pages, out of what the system file gives the process.
 *
 * Mappings are anonymous and private, their pages zero; anything else is ENOTSUP, and so is memory that is writable and
 * executable or that nobody may reach. Without MAP_FIXED the address is the kernel's choice, with a page of nothing on
 * either side.
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
#define PROT_WRITE 2 /* also to be read */
#define PROT_EXEC  4 /* also to be read */

#define MAP_SHARED    0x01
#define MAP_PRIVATE   0x02
#define MAP_FIXED     0x10
#define MAP_ANONYMOUS 0x20
#define MAP_ANON      MAP_ANONYMOUS
#define MAP_FAILED    ((void *)-1)

/* MAP_FAILED: ENOTSUP, EINVAL, ENOMEM; no memory with MAP_FIXED: what was there is gone. */
void *mmap(void *address, size_t n, int prot, int flags, int file, off_t offset);
/* 0; -1: EINVAL. */
int munmap(void *address, size_t n);
/* 0; -1: ENOTSUP, EINVAL, ENOMEM where nothing is mapped. */
int mprotect(void *address, size_t n, int prot);

#ifdef __cplusplus
}
#endif

#endif
