/* SPDX-License-Identifier: MIT */
/* range_server.c - answers who asks for blocks of a disk: range.h. */
#include <amalgam/blocks.h>
#include <string.h>

#include "../drivers/virtio-blk.h"
#include "range.h"

#define BLOCK  4096u
#define QUEUED 8u /* handles that lie in a channel at most (amalgam/handle.h) */

_Static_assert(RANGE_SECTOR == DISK_SECTOR && RANGE_PIECE <= DISK_MOST, "a request is one of the disk's");

void range_forget(struct range_client *c)
{
    if (c->shown >= 0)
        amalgam_handle_close((unsigned)c->shown);
    c->shown = -1;
}

/* Take the handle that was sent last, of those that a channel holds: who sends more meanwhile holds up nobody. Returns
 * its blocks or an error. */
static int64_t take_shown(struct range_client *c, unsigned tunnel, const struct disk *d)
{
    int64_t handle, error = -AMALGAM_EBADF;
    for (unsigned i = 0; i < QUEUED && (handle = amalgam_handle_receive(tunnel)) >= 0; i++) {
        range_forget(c);
        c->shown = (int)handle;
    }
    if (c->shown >= 0)
        error = amalgam_blocks_first((unsigned)c->shown, d->device, 0);
    return error < 0 ? error : amalgam_handle_info((unsigned)c->shown, AMALGAM_HANDLE_INFO_SIZE);
}

/* Return the sector of the disk where `n` bytes from `at` on of the shown range begin, which has that right, or an
 * error. */
static int64_t sector_of(const struct range_client *c, const struct disk *d, uint64_t at, uint32_t n, unsigned right)
{
    if (c->shown < 0)
        return -AMALGAM_EBADF;
    /* The size first: what is valid afterwards has had it. */
    int64_t blocks = amalgam_handle_info((unsigned)c->shown, AMALGAM_HANDLE_INFO_SIZE);
    int64_t first = amalgam_blocks_first((unsigned)c->shown, d->device, right);
    if (first < 0)
        return first;
    uint64_t size = blocks > 0 ? (uint64_t)blocks * BLOCK : 0;
    if (n % RANGE_SECTOR || n > RANGE_PIECE || at % RANGE_SECTOR || at > size || n > size - at)
        return -AMALGAM_EINVAL;
    return (int64_t)(((uint64_t)first * BLOCK + at) / RANGE_SECTOR);
}

/* What the question says is read once: `at` and `n` here are what was checked. */
static int64_t transfer(const struct range_client *c, struct disk *d, const struct range_question *q,
                        struct range_answer *a, uint32_t kind)
{
    uint64_t at = __atomic_load_n(&q->at, __ATOMIC_RELAXED);
    uint32_t n = __atomic_load_n(&q->n, __ATOMIC_RELAXED);
    bool writes = kind == RANGE_WRITE;
    int64_t sector = sector_of(c, d, at, n, writes ? AMALGAM_HANDLE_WRITE : AMALGAM_HANDLE_READ);
    if (sector < 0)
        return sector;
    return writes ? disk_write(d, (uint64_t)sector, q->data, n) : disk_read(d, (uint64_t)sector, a->data, n);
}

void range_answer(struct range_client *c, unsigned tunnel, struct disk *d, const struct range_question *q,
                  struct range_answer *a)
{
    uint32_t kind = __atomic_load_n(&q->kind, __ATOMIC_RELAXED);
    int64_t result = -AMALGAM_EINVAL;
    switch (kind) {
    case RANGE_SHOW:
        result = take_shown(c, tunnel, d);
        a->blocks = result > 0 ? (uint32_t)result : 0;
        break;
    case RANGE_READ:
    case RANGE_WRITE: result = transfer(c, d, q, a, kind); break;
    case RANGE_FLUSH:
        result = sector_of(c, d, 0, 0, AMALGAM_HANDLE_WRITE);
        result = result < 0 ? result : disk_flush(d);
        break;
    }
    a->error = result < 0 ? (int32_t)result : 0;
}
