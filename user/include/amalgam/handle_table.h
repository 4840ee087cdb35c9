/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/handle.yaml by tools/amalgam/api.py: edit that. */
/* Included by amalgam/handle.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_HANDLE_TABLE_H
#define AMALGAM_HANDLE_TABLE_H

#define AMALGAM_HANDLES_VERSION 1

enum amalgam_handle {
    AMALGAM_HANDLE_CLOSE = 0x48440002,
    AMALGAM_HANDLE_INFO = 0x48440003,
    AMALGAM_HANDLES_END
};

enum amalgam_handle_info {
    AMALGAM_HANDLE_INFO_KIND,
    AMALGAM_HANDLE_INFO_RIGHTS,
    AMALGAM_HANDLE_INFO_SIZE,
    AMALGAM_HANDLE_INFO_VALID
};

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
 * 5 blocks, 6 a network, 7 a slot for a program; rights: its bits; size: bytes of memory; valid: 1, or 0 when the
 * object was withdrawn. Returns the field's value; -EBADF: the process has no such handle.
 */
static inline int64_t amalgam_handle_info(unsigned handle, enum amalgam_handle_info field)
{
    return amalgam_call(AMALGAM_HANDLE_INFO, (uintptr_t)handle, (uintptr_t)field, 0, 0);
}

#endif
