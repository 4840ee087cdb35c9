/* SPDX-License-Identifier: MIT */
/* serve.h - a server at a tunnel, for each tree that a process may serve. */
#ifndef AMALGAM_P9_SERVE_H
#define AMALGAM_P9_SERVE_H

#include "tree.h"

/* Serve the client at tunnel `index` until the tunnel is withdrawn. `most`: of what the tree counts in the client's
 * account. Returns as amalgam_files_serve() does (amalgam/file_server.h). */
int p9_serve_tunnel(uint32_t index, const struct p9_tree *tree, struct fs *fs, uint64_t most, bool read_only);

#endif
