/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/remote.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/remote.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_REMOTE_TABLE_H
#define AMALGAM_REMOTE_TABLE_H

#define AMALGAM_REMOTES_VERSION 1

enum amalgam_remote {
    AMALGAM_SEMAPHORE_CREATE = 0x52450000,
    AMALGAM_SEMAPHORE_CLOSE = 0x52450001,
    AMALGAM_SEMAPHORE_DOWN = 0x52450002,
    AMALGAM_SEMAPHORE_TRY_DOWN = 0x52450003,
    AMALGAM_SEMAPHORE_UP = 0x52450004,
    AMALGAM_REMOTES_END
};


/*
 * Create a semaphore. value: its value. most: the largest value that it may have. Returns its descriptor; -EINVAL:
 * most is 0 or less than value; -EAGAIN: all 128 are in use, or the process's share is.
 */
static inline int64_t amalgam_semaphore_create(uint32_t value, uint32_t most)
{
    return amalgam_call(AMALGAM_SEMAPHORE_CREATE, (uintptr_t)value, (uintptr_t)most, 0, 0);
}

/*
 * Free a semaphore. id: the semaphore. Returns 0; -EBADF: it is none, or another process's; -EBUSY: a thread waits
 * for it.
 */
static inline int64_t amalgam_semaphore_close(unsigned id)
{
    return amalgam_call(AMALGAM_SEMAPHORE_CLOSE, (uintptr_t)id, 0, 0, 0);
}

/*
 * Wait while the value is 0, then decrement it. Who waits longest is the first. id: the semaphore. Returns 0;
 * -EBADF: it is none, or another process's; -EINTR: a signal came, and nothing was done.
 */
static inline int64_t amalgam_semaphore_down(unsigned id)
{
    return amalgam_call(AMALGAM_SEMAPHORE_DOWN, (uintptr_t)id, 0, 0, 0);
}

/*
 * Decrement the value. id: the semaphore. Returns 0; -EBADF: it is none, or another process's; -EAGAIN: the value is
 * 0.
 */
static inline int64_t amalgam_semaphore_try_down(unsigned id)
{
    return amalgam_call(AMALGAM_SEMAPHORE_TRY_DOWN, (uintptr_t)id, 0, 0, 0);
}

/*
 * Give one to the thread that waits longest, or increment the value if none waits. id: the semaphore. Returns 0;
 * -EBADF: it is none, or another process's; -ENOSPC: the value is the largest.
 */
static inline int64_t amalgam_semaphore_up(unsigned id)
{
    return amalgam_call(AMALGAM_SEMAPHORE_UP, (uintptr_t)id, 0, 0, 0);
}

#endif
