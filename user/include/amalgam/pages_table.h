/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/pages.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/pages.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_PAGES_TABLE_H
#define AMALGAM_PAGES_TABLE_H

#define AMALGAM_PAGESS_VERSION 1

enum amalgam_pages {
    AMALGAM_PAGES_DERIVE = 0x50414700,
    AMALGAM_PAGES_REVOKE = 0x50414701,
    AMALGAM_PAGES_INSPECT = 0x50414702,
    AMALGAM_PAGESS_END
};


/*
 * Make a handle of a part of the memory that a handle names, with some of its rights and the right to own it: it can
 * be sent, revoked and closed for itself. It ends when the handle from which it was derived ends, is revoked or is
 * withdrawn; so does what was derived of it. It is one of the 8 ranges of this process. handle: the handle. offset:
 * where the part begins, a multiple of the page size. n: its bytes, the same. rights: of those that the handle has.
 * Returns the handle; -EBADF: the process has no such handle; -EINVAL: the handle is not one of memory, the part is
 * not one of whole pages in it, or has none; -ESTALE: the memory was withdrawn; -EACCES: the handle has not all of
 * these rights; -ENOMEM: the process has 8 ranges; -ENOSPC: the process has 32 handles.
 */
static inline int64_t amalgam_pages_derive(unsigned handle, uint32_t offset, uint32_t n, unsigned rights)
{
    return amalgam_call(AMALGAM_PAGES_DERIVE, (uintptr_t)handle, (uintptr_t)offset, (uintptr_t)n, (uintptr_t)rights);
}

/*
 * Take the memory from all who have it by copies of a handle that owns it, or by handles that were derived of these,
 * and keep it. When the call returns no page on any core shows it by one of them. The handle itself is valid as
 * before; what it shows is unmapped. handle: the handle. Returns 0; -EBADF: the process has no such handle; -EINVAL:
 * the handle is not one of memory; -EPERM: it does not own the memory; -ESTALE: the memory was withdrawn, or is
 * being revoked by another thread.
 */
static inline int64_t amalgam_pages_revoke(unsigned handle)
{
    return amalgam_call(AMALGAM_PAGES_REVOKE, (uintptr_t)handle, 0, 0, 0);
}

/*
 * Tell what lies at an address: a page of the process's own, or one that it shows by a handle. address:
 * page-aligned. Returns the frame's number in the memory of the process whose it is, times 16, and the rights: 1
 * read, 2 write, 4 execute; -EINVAL: the address is not page-aligned; -EFAULT: no page is mapped there, or a lazy
 * one that was never touched.
 */
static inline int64_t amalgam_pages_inspect(const void *address)
{
    return amalgam_call(AMALGAM_PAGES_INSPECT, (uintptr_t)address, 0, 0, 0);
}

#endif
