/* SPDX-License-Identifier: MIT */
/*
 * diskserver.c - serves the files on a disk that it drives to whoever is at the other ends of its tunnels:
 * docs/files.md.
 *   diskserver [format] [read-only] [range]
 * format: make a file system on a disk that begins with zeros. Any other one is an error, so that nothing is lost of a
 * disk of another use, or of one that is damaged.
 * range: the disk is a range that another process serves at the first tunnel (blockserver.c).
 */
#include <amalgam/disk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "diskserver"
#include "../../programs/tunnels.h"

static struct amalgam_disk disk;
static struct amalgam_disk_tree *tree;
static lfs_t fs;
static bool read_only, formats, ranged;

static int serve_tunnel(unsigned tunnel) { return amalgam_disk_serve(tree, tunnel, read_only); }

/* Returns whether both blocks are zero where a file system would begin. */
static bool is_empty(void)
{
    static uint8_t block[AMALGAM_DISK_BLOCK];
    for (lfs_block_t n = 0; n < 2; n++) {
        if (disk.config.read(&disk.config, n, 0, block, sizeof block))
            return false;
        for (unsigned i = 0; i < sizeof block; i++)
            if (block[i])
                return false;
    }
    return true;
}

static bool begin(void)
{
    int error = ranged ? amalgam_disk_open_range(&disk, 0) : amalgam_disk_open(&disk, 0, 0, 0);
    if (error) {
        printf("diskserver: no disk: %d\n", -error);
        return false;
    }
    error = amalgam_disk_mount(&fs, &disk);
    if (error == LFS_ERR_CORRUPT && formats && is_empty()) {
        printf("diskserver: a new file system\n");
        error = lfs_format(&fs, &disk.config);
        if (!error)
            error = amalgam_disk_mount(&fs, &disk);
    }
    if (error)
        printf("diskserver: no file system: %d\n", -error);
    return !error && (tree = amalgam_disk_tree(&fs)) != NULL;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        read_only |= !strcmp(argv[i], "read-only");
        formats |= !strcmp(argv[i], "format");
        ranged |= !strcmp(argv[i], "range");
    }
    if (argc - 1 != read_only + formats + ranged || !begin()) {
        printf("diskserver: diskserver [format] [read-only] [range]\n");
        return 1;
    }
    unsigned end = tunnels_end(ranged);
    return serve_tunnels(ranged, end) && end > ranged ? 0 : 1;
}
