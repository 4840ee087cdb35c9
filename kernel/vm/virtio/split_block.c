/* SPDX-License-Identifier: MIT */
/*
 * split_block.c - virtio block whose disk is a file or device of the Linux above (block/split_disk.h; virtio 1.2, 5.2).
 *
 * One piece of at most BACKEND_DATA bytes is at Linux at a time. Its request stays at the head of the queue until it is
 * done; queue.progress counts its finished bytes. Of what the driver could change only the chain's lengths are kept:
 * each step walks the chain again and compares. If the driver resets the device while a piece is at Linux, the device
 * starts again when that piece has come back.
 *
 * All functions run with the vdev lock held: from the guest's notification, or from the split thread when Linux has
 * answered.
 */
#include <block/split_disk.h>
#include <errors.h>
#include <string.h>
#include "block.h"

#define CHAIN 16 /* descriptors: interrupts are off while a piece is copied and each descriptor is read twice */

struct split_block {
    struct virtio v;
    struct block_config config;
    struct split_disk disk;
};

_Static_assert(sizeof(struct split_block) <= PAGE_SIZE, "one page a device");
_Static_assert(BLOCK_SECTOR == DISK_SECTOR, "one unit");

static void finish(struct virtq *q, u8 status, u64 filled)
{
    u64 room = q->bytes[VQ_WRITE] - 1;
    *q->last = status;
    vq_complete(q, (u32)(filled + (filled == room)));
}

/* Returns the bytes of data of a read or write. */
static u64 length_of(const struct virtq *q, const struct block_request *r)
{
    return r->type == BLOCK_IN ? q->bytes[VQ_WRITE] - 1 : q->bytes[VQ_READ] - sizeof(*r);
}

/* Send the next piece of a read or write, or finish the request. */
static void transfer(struct split_block *b, struct virtq *q, const struct block_request *r)
{
    bool in = r->type == BLOCK_IN, readonly = b->v.type->features & BLK_F_RO;
    u64 length = length_of(q, r), done = q->progress, end = b->config.capacity;
    if (r->sector > end || length / BLOCK_SECTOR > end - r->sector || length % BLOCK_SECTOR || (!in && readonly)) {
        finish(q, BLOCK_IOERR, 0);
        return;
    }
    if (!length) {
        finish(q, BLOCK_OK, 0);
        return;
    }
    u32 n = (u32)MIN(length - MIN(done, length), (u64)BACKEND_DATA);
    if (!n || (!in && (vq_read(q, NULL, done) != done || vq_read(q, split_disk_data(&b->disk), n) != n))) {
        q->bad = true; /* the request was rewritten while it was partly done */
        vq_complete(q, 0);
        return;
    }
    split_disk_ask(&b->disk, in ? BACKEND_READ : BACKEND_WRITE, r->sector + done / BLOCK_SECTOR, n);
}

/* Answer the request at the head of the queue, or send its next piece. Returns false if there is none. */
static bool begin(struct split_block *b)
{
    struct virtq *q = &b->v.queue[0];
    struct block_request r;
    if (!vq_peek(q, &b->v.budget))
        return false;
    if (!q->bytes[VQ_WRITE] || vq_read(q, &r, sizeof(r)) != sizeof(r)) {
        q->bad = true; /* there is no status byte to report it in */
        vq_complete(q, 0);
    } else if (r.type == BLOCK_IN || r.type == BLOCK_OUT) {
        transfer(b, q, &r);
    } else if (r.type == BLOCK_FLUSH) {
        split_disk_ask(&b->disk, BACKEND_FLUSH, 0, 0);
    } else if (r.type == BLOCK_GET_ID) {
        finish(q, BLOCK_OK, vq_write(q, BLOCK_ID, MIN(q->bytes[VQ_WRITE] - 1, (u64)BLOCK_ID_BYTES)));
    } else {
        finish(q, BLOCK_UNSUPP, 0);
    }
    return true;
}

/* Answer requests until one needs Linux or the device's budget is used up. */
static void split_block_notify(struct virtio *v, struct virtq *q)
{
    struct split_block *b = container_of(v, struct split_block, v);
    while (!b->disk.busy && begin(b))
        ;
}

/* Linux has finished a piece of the request at the head of the queue, or could not (`failed`). */
static void complete_piece(struct split_block *b, bool failed)
{
    struct virtq *q = &b->v.queue[0];
    struct block_request r;
    if (!vq_peek(q, &b->v.budget))
        return;
    if (!q->bytes[VQ_WRITE] || vq_read(q, &r, sizeof(r)) != sizeof(r)) {
        q->bad = true;
        vq_complete(q, 0);
        return;
    }
    bool in = r.type == BLOCK_IN, data = in || r.type == BLOCK_OUT;
    if (failed) {
        finish(q, BLOCK_IOERR, 0);
        return;
    }
    if (in && (vq_write(q, NULL, q->progress) != q->progress ||
               vq_write(q, split_disk_data(&b->disk), b->disk.piece) != b->disk.piece))
        q->bad = true; /* the chain is shorter than it was */
    q->progress += b->disk.piece;
    if (q->bad || !data || q->progress >= length_of(q, &r))
        finish(q, BLOCK_OK, in ? q->progress : 0);
}

static void check_answer(struct split_block *b)
{
    int err = split_disk_take(&b->disk);
    if (!err || err == -EIO)
        complete_piece(b, err);
}

/*
 * Linux rang, or the last call left work. There is one budget for the answer, then one for the guest's requests,
 * because a guest on another core can fill the queue as fast as this empties it. Returns true if work is left.
 */
static bool rung(void *arg)
{
    struct split_block *b = arg;
    spin_lock_by_tries(&b->v.dev.lock);
    b->v.budget = VIRTIO_BUDGET;
    check_answer(b);
    spin_unlock(&b->v.dev.lock);
    irq_enable();
    spin_lock_by_tries(&b->v.dev.lock);
    b->v.budget = VIRTIO_BUDGET;
    split_block_notify(&b->v, &b->v.queue[0]);
    bool more = b->v.budget <= 0 && !b->disk.busy;
    spin_unlock(&b->v.dev.lock);
    irq_enable();
    return more;
}

static void reset(struct virtio *v) { split_disk_forget(&container_of(v, struct split_block, v)->disk); }

static const struct virtio_type types[2] = {
    BLOCK_TYPE(struct split_block, 0, CHAIN, split_block_notify, .reset = reset),
    BLOCK_TYPE(struct split_block, BLK_F_RO, CHAIN, split_block_notify, .reset = reset),
};

__init_text int split_block_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys)
{
    struct split_block *b = container_of(v, struct split_block, v);
    bool readonly = conf->flags & SYS_DEV_READONLY;
    int err = split_disk_claim(&b->disk, sys_string(sys, conf->name), conf->sectors, readonly, rung, b);
    if (err)
        return err;
    b->config.capacity = conf->sectors;
    b->config.seg_max = CHAIN - BLOCK_BESIDE;
    v->type = &types[readonly];
    return 0;
}
