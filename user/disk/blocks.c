/* SPDX-License-Identifier: MIT */
/*
 * blocks.c - littlefs on blocks of a disk (blocks.h).
 *
 * A disk's sectors are replaced whole and need no erasing. It keeps what was written in an order of its own until it is
 * flushed, which littlefs asks for before it relies on that.
 */
#include "blocks.h"

#define READS_MORE 1024 /* of the same few blocks, on a small disk */

static uint64_t place(const struct lfs_config *c, lfs_block_t block, lfs_off_t off)
{
    const struct amalgam_disk *d = c->context;
    return ((uint64_t)d->first + block) * AMALGAM_DISK_BLOCK + off;
}

static int read_block(const struct lfs_config *c, lfs_block_t block, lfs_off_t off, void *to, lfs_size_t n)
{
    struct amalgam_disk *d = c->context;
    if (!d->reads)
        return LFS_ERR_IO;
    d->reads -= d->reads != UINT64_MAX;
    return d->by->read(d->driver, place(c, block, off), to, n) ? LFS_ERR_IO : 0;
}

static int write_block(const struct lfs_config *c, lfs_block_t block, lfs_off_t off, const void *from, lfs_size_t n)
{
    const struct amalgam_disk *d = c->context;
    return d->by->write(d->driver, place(c, block, off), from, n) ? LFS_ERR_IO : 0;
}

static int erase(const struct lfs_config *c, lfs_block_t block)
{
    (void)c;
    (void)block;
    return 0;
}

static int flush(const struct lfs_config *c)
{
    const struct amalgam_disk *d = c->context;
    return d->by->flush(d->driver) ? LFS_ERR_IO : 0;
}

void blocks_bound(const struct lfs_config *c, uint32_t times)
{
    struct amalgam_disk *d = c->context;
    d->reads = times ? (uint64_t)d->blocks * times + READS_MORE : UINT64_MAX;
}

void blocks_configure(struct amalgam_disk *d)
{
    d->reads = UINT64_MAX;
    d->config = (struct lfs_config){
        .context = d,
        .read = read_block,
        .prog = write_block,
        .erase = erase,
        .sync = flush,
        .read_size = BLOCKS_SECTOR,
        .prog_size = BLOCKS_SECTOR,
        .block_size = AMALGAM_DISK_BLOCK,
        .block_count = d->blocks,
        .block_cycles = -1, /* a disk does not wear out by one block */
        .cache_size = AMALGAM_DISK_BLOCK,
        .lookahead_size = 512,
    };
}
