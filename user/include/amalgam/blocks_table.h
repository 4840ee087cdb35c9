/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/blocks.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/blocks.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_BLOCKS_TABLE_H
#define AMALGAM_BLOCKS_TABLE_H

#define AMALGAM_BLOCKSS_VERSION 1

enum amalgam_blocks {
    AMALGAM_BLOCKS_MAKE = 0x424c4b00,
    AMALGAM_BLOCKS_FIRST = 0x424c4b01,
    AMALGAM_BLOCKS_PART = 0x424c4b02,
    AMALGAM_BLOCKSS_END
};


/*
 * Make a handle of a range of a disk's blocks, with the rights to read, to send and to own it, and to write if that
 * is asked for. To close it is to withdraw the range. Its holders ask the driver for what lies there. A disk has 8
 * ranges, which may overlap. handle: the process's handle of the disk. first: its first block of 4 KiB. n: how many.
 * write: 1: others may write, too. Returns the handle; -EBADF: the process has no device by that handle; -EINVAL:
 * the device is no disk, or has not all of these blocks; -ENOMEM: the disk has 8 ranges; -ENOSPC: the process has 32
 * handles.
 */
static inline int64_t amalgam_blocks_make(unsigned handle, uint32_t first, uint32_t n, unsigned write)
{
    return amalgam_call(AMALGAM_BLOCKS_MAKE, (uintptr_t)handle, (uintptr_t)first, (uintptr_t)n, (uintptr_t)write);
}

/*
 * Of a driver that somebody asks for blocks by a range's handle, which he has sent: ask whether the range is one of
 * the driver's disk, and valid, and whether the handle has a right. How many blocks it has handle_info says. handle:
 * the range's handle. disk: the process's handle of the disk. right: 1 to read, 2 to write. Returns the range's
 * first block; -EBADF: the process has no such handle, or no device by the other one; -EINVAL: the handle is no
 * range's; -ESTALE: the range was withdrawn; -EACCES: the right is missing; -ENODEV: it is a range of another disk.
 */
static inline int64_t amalgam_blocks_first(unsigned handle, unsigned disk, unsigned right)
{
    return amalgam_call(AMALGAM_BLOCKS_FIRST, (uintptr_t)handle, (uintptr_t)disk, (uintptr_t)right, 0);
}

/*
 * Make a handle of a part of a range, with the rights to read, to send and to own it, and to write if that is asked
 * for. To close it is to withdraw the part; it is withdrawn with the range, and ends with the process that made it.
 * A process has 2 parts. handle: the process's handle of the range, which may be sent. first: its first block, from
 * the range's first one on. n: how many. write: 1: others may write, too. Returns the handle; -EBADF: the process
 * has no such handle; -EINVAL: the handle is no range's, or a part's, or the range has not all of these blocks;
 * -ESTALE: the range was withdrawn; -EACCES: the right to read, to send or, with write, to write is missing;
 * -ENOMEM: the process has 2 parts; -ENOSPC: the process has 32 handles.
 */
static inline int64_t amalgam_blocks_part(unsigned handle, uint32_t first, uint32_t n, unsigned write)
{
    return amalgam_call(AMALGAM_BLOCKS_PART, (uintptr_t)handle, (uintptr_t)first, (uintptr_t)n, (uintptr_t)write);
}

#endif
