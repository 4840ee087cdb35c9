/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/fs/vfs.h - files at the file server of the cluster that the environment's FILES names; without it of
 * cluster 0 (docs/servers.md). A path goes from the server's root on, names with slashes between; symbolic links are
 * not followed (ELOOP).
 *
 * Functions return negative errors of posix/errno.h, any of them besides its own:
 * - EINVAL: FILES names no cluster.
 * - EAGAIN: the server does not answer to a first question, or the cluster has its share of sessions there.
 * - EIO: the server has died, or has given this process's session to others, as it may after ten seconds without a
 *   question. Of what changes something it is unknown then whether it was done.
 *
 * After EIO the process has a new session, so the next call is none, but each descriptor that was open is EIO until it
 * is closed.
 *
 * Any thread may call these; one asks at a time.
 */
#ifndef NANVIX_RUNTIME_FS_VFS_H_
#define NANVIX_RUNTIME_FS_VFS_H_

#include <nanvix/kernel/kernel.h>
#include <nanvix/limits.h>
#include <posix/fcntl.h>
#include <posix/sys/stat.h>
#include <posix/sys/types.h>
#include <posix/unistd.h>

/* All: EINVAL: NULL; ENAMETOOLONG: a path of NANVIX_NAME_MAX bytes or more, or of more than 16 names; ENOENT. */

/* Open a file, with O_CREAT make it if there is none; its mode is the third argument then, and not 0. Returns its
 * descriptor; EINVAL: the path is empty, or neither O_RDONLY, O_WRONLY nor O_RDWR is meant; EMFILE: NANVIX_NR_FILES are
 * open; EISDIR, EEXIST, ENOSPC. */
extern int nanvix_vfs_open(const char *path, int flags, ...);
/* EFBIG: the file is larger than an off_t can say. */
extern int nanvix_vfs_stat(const char *path, struct nanvix_stat *restrict buf);
/* Remove a file, or a folder that is empty. EINVAL: it is the root; EISDIR, ENOTDIR, ENOTEMPTY. */
extern int nanvix_vfs_unlink(const char *path);
extern int nanvix_vfs_rmdir(const char *path);
extern int nanvix_vfs_mkdir(const char *path, mode_t mode);

/* All: EINVAL: no descriptor has the number; EBADF: it is not open. */

extern int nanvix_vfs_close(int fd);
/* Return how many bytes were moved; fewer at the file's end, or where there is no more room. EFBIG: more than
 * NANVIX_MAX_FILE_SIZE is asked for, or the position is as large as an off_t can be; ENOSPC. */
extern ssize_t nanvix_vfs_read(int fd, void *buf, size_t n);
extern ssize_t nanvix_vfs_write(int fd, const void *buf, size_t n);
/* Returns the position. EINVAL: it would be negative; EFBIG: the file's end is more than an off_t can say. */
extern off_t nanvix_vfs_seek(int fd, off_t offset, int whence);

#endif
