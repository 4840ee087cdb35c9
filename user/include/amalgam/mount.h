/* SPDX-License-Identifier: MIT */
/*
 * amalgam/mount.h - files of another domain in a process's own tree: those that a server of 9P2000.L at the other end
 * of a tunnel has (amalgam/file_server.h).
 */
#ifndef AMALGAM_MOUNT_H
#define AMALGAM_MOUNT_H

#include <stdint.h>

/*
 * Have `path`, a folder, be the root of the server's tree at tunnel `index` of this process. What leads there by any
 * path is the server's from then on: open(), read(), write(), lseek(), ftruncate(), fstat(), close(), stat(), mkdir(),
 * unlink(), rmdir(), rename(), opendir() and theirs, and stdio. Its symbolic links are not followed (ELOOP), and
 * what else takes a path is EXDEV. When the server ends, what is open there is EIO; paths go on with
 * its next life, and wait two seconds for it (EIO). Returns 0, or -1 with errno: ENXIO, there is no such tunnel;
 * EINVAL, its memory is too small or may not be written; EBUSY, there is a mount already; ENOTDIR, ENOENT and others of
 * the path.
 */
int amalgam_mount(uint32_t index, const char *path);

#endif
