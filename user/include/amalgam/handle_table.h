/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/handle.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/handle.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_HANDLE_TABLE_H
#define AMALGAM_HANDLE_TABLE_H

#define AMALGAM_HANDLES_VERSION 1

enum amalgam_handle {
    AMALGAM_HANDLE_SEND = 0x48440000,
    AMALGAM_HANDLE_RECEIVE = 0x48440001,
    AMALGAM_HANDLE_CLOSE = 0x48440002,
    AMALGAM_HANDLE_INFO = 0x48440003,
    AMALGAM_HANDLE_MEMORY = 0x48440004,
    AMALGAM_HANDLE_MAP = 0x48440005,
    AMALGAM_HANDLES_END
};

enum amalgam_handle_info {
    AMALGAM_HANDLE_INFO_KIND,
    AMALGAM_HANDLE_INFO_RIGHTS,
    AMALGAM_HANDLE_INFO_SIZE,
    AMALGAM_HANDLE_INFO_VALID
};

/*
 * Send a copy of a handle to the process at the other end of a channel, with these rights or none of them. It stays
 * in the channel until it is received, or one of the two processes ends. Does not wait, and rings no bell. channel:
 * the handle of the channel's end. handle: the handle to send. rights: the copy's rights; 8, own, is none of them.
 * Returns 0; -EBADF: the process has no such handle; -EINVAL: the first handle is no channel's; -ESTALE: the object
 * was withdrawn; -EPERM: the handle may not be sent, or has not all of these rights; -EACCES: the channel is
 * withdrawn; -EPIPE: the process at the other end does not run; -EAGAIN: 8 handles of that direction have not been
 * received yet.
 */
static inline int64_t amalgam_handle_send(unsigned channel, unsigned handle, unsigned rights)
{
    return amalgam_call(AMALGAM_HANDLE_SEND, (uintptr_t)channel, (uintptr_t)handle, (uintptr_t)rights, 0);
}

/*
 * Receive the next handle that was sent through a channel, in the order of the sends. Does not wait. channel: the
 * handle of the channel's end. Returns the handle; -EBADF: the process has no such handle; -EINVAL: the handle is no
 * channel's; -EACCES: the channel is withdrawn; -EAGAIN: there is none; -ENOSPC: the process has 32 handles; the
 * next one stays in the channel.
 */
static inline int64_t amalgam_handle_receive(unsigned channel)
{
    return amalgam_call(AMALGAM_HANDLE_RECEIVE, (uintptr_t)channel, 0, 0, 0);
}

/*
 * Close a handle. Pages that it shows are unmapped. If it owns its object, the object is withdrawn from all who have
 * handles to it: when the call returns no page shows it and no call uses it. handle: the handle. Returns 0; -EBADF:
 * the process has no such handle.
 */
static inline int64_t amalgam_handle_close(unsigned handle)
{
    return amalgam_call(AMALGAM_HANDLE_CLOSE, (uintptr_t)handle, 0, 0, 0);
}

/*
 * Read one fact about a handle. handle: the handle. field: kind: 1 a channel, 2 memory, 3 a device, 4 an interrupt,
 * 5 blocks, 6 a network, 7 a slot for a program, 8 a pipe, 9 the status; rights: its bits; size: bytes of memory,
 * blocks of 4 KiB; valid: 1, or 0 when the object was withdrawn. Returns the field's value; -EBADF: the process has
 * no such handle.
 */
static inline int64_t amalgam_handle_info(unsigned handle, enum amalgam_handle_info field)
{
    return amalgam_call(AMALGAM_HANDLE_INFO, (uintptr_t)handle, (uintptr_t)field, 0, 0);
}

/*
 * Share pages of this process: make a handle for them, with the rights to read, to send and to own it, and to write
 * if that is asked for. Until it is closed the pages keep their memory, also when the process unmaps them, and
 * cannot become executable. A process shares 8 ranges at most. address: page-aligned. n: bytes, a multiple of the
 * page size. write: 1: others may write, too. Returns the handle; -EINVAL: an argument is not page-aligned, or n is
 * 0; -EFAULT: the pages are not the process's own, or may not be written; -ENOMEM: the process shares 8 ranges;
 * -ENOSPC: the process has 32 handles.
 */
static inline int64_t amalgam_handle_memory(const void *address, size_t n, unsigned write)
{
    return amalgam_call(AMALGAM_HANDLE_MEMORY, (uintptr_t)address, (uintptr_t)n, (uintptr_t)write, 0);
}

/*
 * Map the memory of a handle, writable if the handle has that right. It stays mapped until the handle is closed or
 * the memory is withdrawn; an access after that is a fault. A process maps 8 ranges at most, and no other call
 * changes these pages. handle: the handle. Returns the address; -EBADF: the process has no such handle, or has
 * closed it meanwhile; -EINVAL: the handle is not one of memory; -ESTALE: the memory was withdrawn; -EACCES: the
 * right to read is missing; -EEXIST: it is mapped by this handle; -ENOMEM: the process maps 8 ranges.
 */
static inline int64_t amalgam_handle_map(unsigned handle)
{
    return amalgam_call(AMALGAM_HANDLE_MAP, (uintptr_t)handle, 0, 0, 0);
}

#endif
