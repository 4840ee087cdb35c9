/* SPDX-License-Identifier: MIT */
/* vfs_errors.h - the errors that a file server may say. It says the C library's numbers; programs of libnanvix have
 * others, by the same names, and one file cannot know both. */
#ifndef AMALGAM_NANVIX_VFS_ERRORS_H
#define AMALGAM_NANVIX_VFS_ERRORS_H

#define VFS_ERRORS(X)                                                                                                  \
    X(EPERM)                                                                                                           \
    X(ENOENT)                                                                                                          \
    X(ENXIO)                                                                                                           \
    X(EBADF)                                                                                                           \
    X(ENOMEM)                                                                                                          \
    X(EBUSY)                                                                                                           \
    X(EEXIST)                                                                                                          \
    X(ENOTDIR)                                                                                                         \
    X(EISDIR)                                                                                                          \
    X(EINVAL)                                                                                                          \
    X(EMFILE)                                                                                                          \
    X(EFBIG)                                                                                                           \
    X(ENOSPC)                                                                                                          \
    X(EROFS)                                                                                                           \
    X(ENAMETOOLONG)                                                                                                    \
    X(ENOTEMPTY)                                                                                                       \
    X(ELOOP)
#define VFS_NUMBER(error) error,

/* vfs_wire_errors.c: the C library's numbers, in the list's order; 0 ends them. */
extern const int vfs_wire_errors[];

#endif
