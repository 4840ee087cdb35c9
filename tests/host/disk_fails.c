/* SPDX-License-Identifier: MIT */
/*
 * disk_fails.c - the tree of a littlefs (user/disk/tree.h) on a disk that stops writing: what was not written is not
 * said to be there. Ends with status 1 and what is wrong if not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tree.h"

#define BLOCKS 64u
#include "disk_memory.h"

#define KEPT 3   /* bytes that the disk has */
#define LOST 900 /* and those that it does not take */

static struct amalgam_disk disk;
static lfs_t lfs;
static struct disk_tree tree;
static struct fs_account client = { .most = OPEN_SHARE };
static struct fs_node *file;

static uint64_t now(void) { return 7; }

static void must(const char *what, long long want, long long got)
{
    if (want == got)
        return;
    printf("%s: %lld, not %lld\n", what, got, want);
    exit(1);
}

static long long size(void)
{
    struct fs_stat is;
    disk_tree_calls.describe(file, &is);
    return (long long)is.size;
}

/* A file with KEPT bytes, of which LOST are written then that the broken disk does not have yet. */
static void begin(const char *name)
{
    static const uint8_t some[LOST];
    broken = false;
    must("open", 0, disk_open_file(&tree.fs, tree.fs.root, name, FS_CREATE | FS_WRITE, 0644, &file));
    must("begin", 0, disk_begin(&tree.fs, file));
    must("write", KEPT, disk_write_file(&tree.fs, file, 0, some, KEPT));
    must("sync", 0, disk_sync(&tree.fs, file));
    must("write more", LOST, disk_write_file(&tree.fs, file, 0, some, LOST));
    must("size before", LOST, size());
    broken = true;
}

int main(void)
{
    uint8_t some[LOST];
    disk = (struct amalgam_disk){ .by = &by, .blocks = BLOCKS };
    blocks_configure(&disk);
    must("format", 0, lfs_format(&lfs, &disk.config));
    must("mount", 0, amalgam_disk_mount(&lfs, &disk));
    must("tree", 0, disk_tree_begin(&tree, &lfs, now));
    tree.fs.payer = &client;

    begin("closed");
    must("close fails", true, disk_end(&tree.fs, file) < 0);
    must("size after close", KEPT, size());
    must("read after close", KEPT, disk_read_file(&tree.fs, file, 0, some, sizeof some));
    disk_tree_calls.release(file);

    begin("synchronized");
    must("sync fails", true, disk_sync(&tree.fs, file) < 0);
    must("size after sync", KEPT, size());
    must("close", 0, disk_end(&tree.fs, file));
    must("size at the end", KEPT, size());
    disk_tree_calls.release(file);

    begin("described");
    struct fs_stat before, after;
    disk_tree_calls.describe(file, &before);
    must("mode fails", true, disk_tree_calls.set_mode(&tree.fs, file, 0600) < 0);
    must("time fails", true, disk_tree_calls.set_times(&tree.fs, file, FS_OMIT, 99) < 0);
    disk_tree_calls.describe(file, &after);
    must("mode", before.mode, after.mode);
    must("time", (long long)before.mtime, (long long)after.mtime);
    disk_end(&tree.fs, file);
    disk_tree_calls.release(file);
    disk_tree_end(&tree);
    lfs_unmount(&lfs);
    return 0;
}
