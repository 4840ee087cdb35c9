/* SPDX-License-Identifier: MIT */
/* own_tree.c - the process's own tree for others: amalgam/file_server.h. */
#include <amalgam/file_server.h>
#include <amalgam/tunnel.h>

#include "../lib/files.h"
#include "serve.h"

int amalgam_files_serve(uint32_t index, uint64_t quota, bool read_only)
{
    files_enter();
    struct fs *fs = files_tree();
    files_leave();
    return fs ? p9_serve_tunnel(index, &p9_memory, fs, quota, read_only) : -AMALGAM_ENOMEM;
}
