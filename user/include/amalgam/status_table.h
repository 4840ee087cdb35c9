/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/status.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/status.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_STATUS_TABLE_H
#define AMALGAM_STATUS_TABLE_H

#define AMALGAM_STATUSS_VERSION 1

enum amalgam_status {
    AMALGAM_STATUS_READ = 0x53540000,
    AMALGAM_STATUS_PRIORITY = 0x53540001,
    AMALGAM_STATUSS_END
};


/*
 * Copy a record out: of the board (what 0), or number `what / 256` of the domains (what % 256 is 1), cores (2),
 * windows (3) or channels (4). handle: a handle of the status, with the right to read. what: 256 * number + 0 board,
 * 1 domain, 2 core, 3 window, 4 channel. to: where to. n: its bytes. Returns the record's size, of which at most n
 * bytes were copied; -EBADF: the process has no such handle; -EINVAL: it is no handle of the status; -ESTALE: it was
 * withdrawn; -EACCES: the right is missing; -ENOENT: there is none of that number; -EFAULT: not the process's
 * memory.
 */
static inline int64_t amalgam_status_read(unsigned handle, unsigned what, void *to, size_t n)
{
    return amalgam_call(AMALGAM_STATUS_READ, (uintptr_t)handle, (uintptr_t)what, (uintptr_t)to, (uintptr_t)n);
}

/*
 * Set the priority of a domain's threads, with effect at once. It holds until the domain's next start, which has the
 * system file's priority. handle: a handle of the status, with the right to write. domain: its number. priority: 1
 * to 31, the most urgent. Returns 0; -EBADF: the process has no such handle; -EINVAL: it is no handle of the status;
 * -ESTALE: it was withdrawn; -EACCES: the right is missing; -ENOENT: there is no such domain, or it does not run;
 * -ERANGE: it is no priority.
 */
static inline int64_t amalgam_status_priority(unsigned handle, unsigned domain, unsigned priority)
{
    return amalgam_call(AMALGAM_STATUS_PRIORITY, (uintptr_t)handle, (uintptr_t)domain, (uintptr_t)priority, 0);
}

#endif
