/* SPDX-License-Identifier: MIT */
/*
 * amalgam/file_server.h - a process's files for others: it serves its own tree, with what the system file put there, to
 * the process or guest at the other end of a tunnel, by 9P2000.L.
 */
#ifndef AMALGAM_FILE_SERVER_H
#define AMALGAM_FILE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Serve the client at tunnel `index` of this process until the tunnel is withdrawn; a client that ends and begins again
 * finds no fid of its former life. It takes a thread: call it from one for each tunnel.
 * quota: bytes that the files made by this client may take; UINT64_MAX: as much as there is. read_only: it changes
 * nothing (EROFS).
 * Returns -AMALGAM_ENOENT: there is no such tunnel; -AMALGAM_EACCES: it is withdrawn; -AMALGAM_EINVAL: its memory is
 * too small (docs/files.md) or may not be written; -AMALGAM_ENOMEM.
 */
int amalgam_files_serve(uint32_t index, uint64_t quota, bool read_only);

#endif
