/* SPDX-License-Identifier: MIT */
/* serve.c - a littlefs for others: amalgam/disk.h. Under the lock of the process's files, as user/p9/serve.c is. */
#include <amalgam/calls.h>
#include <amalgam/disk.h>
#include <errno.h>
#include <stdlib.h>

#include "../lib/clock.h"
#include "../lib/files.h"
#include "../p9/serve.h"
#include "tree.h"

static uint64_t epoch; /* when amalgam_clock() was 0 */

static uint64_t now(void) { return (uint64_t)amalgam_clock() + epoch; }

struct amalgam_disk_tree *amalgam_disk_tree(lfs_t *fs)
{
    struct amalgam_disk_tree *t = malloc(sizeof *t);
    epoch = clock_epoch();
    int error = t ? disk_tree_begin(&t->tree, fs, now) : -ENOMEM;
    if (!error)
        return t;
    free(t);
    errno = -error;
    return NULL;
}

int amalgam_disk_serve(struct amalgam_disk_tree *t, uint32_t index, bool read_only)
{
    return p9_serve_tunnel(index, &disk_tree_calls, &t->tree.fs, OPEN_SHARE, read_only);
}
