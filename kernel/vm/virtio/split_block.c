/* SPDX-License-Identifier: MIT */
/*
 * split_block.c - virtio block whose disk is a file or device of the first Linux
 * (api/backend.h; virtio 1.2, 5.2).
 *
 * One piece of at most BACKEND_DATA bytes is out at a time.  The request that it
 * belongs to stays at the head of the queue until it is done (queue.progress counts its
 * finished bytes), so nothing about it is remembered that the driver could change
 * behind our back: each step walks the chain again and compares.  A driver that resets
 * the device while a piece is out starts anew when that piece has come back.
 *
 * Everything here runs under the vdev lock: from the guest's notification, or from the
 * split thread when Linux has answered.
 */
#include <core/split.h>
#include <errors.h>
#include <string.h>
#include "block.h"

#define CHAIN       16 /* descriptors: a piece is copied beside two looks at each of them, with interrupts off */
#define MAX_SECTORS (1ull << 48)

struct split_block {
    struct virtio v;
    struct block_config config;
    struct backend_block *out; /* memory shared with Linux */
    unsigned entry;
    bool busy, stale; /* a piece is out; it belongs to a life of the device that is over */
    u32 asked;        /* our own count, Linux can write the other */
    u32 piece;        /* bytes of what is out */
};

_Static_assert(sizeof(struct split_block) <= PAGE_SIZE, "one page a device");
_Static_assert(offsetof(struct backend_block, data) == PAGE_SIZE, "api/backend.h");

/* Hand one piece to Linux. */
static void ask(struct split_block *b, u32 operation, u64 sector, u32 length)
{
    WRITE_ONCE(b->out->operation, operation);
    WRITE_ONCE(b->out->sector, sector);
    WRITE_ONCE(b->out->length, length);
    b->piece = length;
    b->busy = true;
    __atomic_store_n(&b->out->asked, ++b->asked, __ATOMIC_RELEASE);
    split_ring(b->entry);
}

static void finish(struct virtq *q, u8 status, u64 filled)
{
    u64 room = q->bytes[VQ_WRITE] - 1;
    *q->last = status;
    vq_put(q, (u32)(filled + (filled == room)));
}

/* Bytes of data of a read or write. */
static u64 length_of(const struct virtq *q, const struct block_request *r)
{
    return r->type == BLOCK_IN ? q->bytes[VQ_WRITE] - 1 : q->bytes[VQ_READ] - sizeof(*r);
}

/* The next piece of a read or write goes out. */
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
    if (!n || (!in && (vq_read(q, NULL, done) != done || vq_read(q, b->out->data, n) != n))) {
        q->bad = true; /* rewritten while we were in the middle of it */
        vq_put(q, 0);
        return;
    }
    ask(b, in ? BACKEND_READ : BACKEND_WRITE, r->sector + done / BLOCK_SECTOR, n);
}

/* Look at the request at the head of the queue: answer it, or send its next piece. False: there is none. */
static bool begin(struct split_block *b)
{
    struct virtq *q = &b->v.queue[0];
    struct block_request r;
    if (!vq_get(q, &b->v.budget))
        return false;
    if (!q->bytes[VQ_WRITE] || vq_read(q, &r, sizeof(r)) != sizeof(r)) {
        q->bad = true; /* nowhere to say what is wrong */
        vq_put(q, 0);
    } else if (r.type == BLOCK_IN || r.type == BLOCK_OUT) {
        transfer(b, q, &r);
    } else if (r.type == BLOCK_FLUSH) {
        ask(b, BACKEND_FLUSH, 0, 0);
    } else if (r.type == BLOCK_GET_ID) {
        finish(q, BLOCK_OK, vq_write(q, BLOCK_ID, MIN(q->bytes[VQ_WRITE] - 1, (u64)BLOCK_ID_BYTES)));
    } else {
        finish(q, BLOCK_UNSUPP, 0);
    }
    return true;
}

/* Answer requests that need no answer from Linux until one does or the device's budget is used up. */
static void notify(struct virtio *v, struct virtq *q)
{
    struct split_block *b = container_of(v, struct split_block, v);
    while (!b->busy && begin(b))
        ;
}

/* Linux is done with a piece of the request at the head of the queue. */
static void take(struct split_block *b)
{
    struct virtq *q = &b->v.queue[0];
    struct block_request r;
    if (!vq_get(q, &b->v.budget))
        return;
    if (!q->bytes[VQ_WRITE] || vq_read(q, &r, sizeof(r)) != sizeof(r)) {
        q->bad = true;
        vq_put(q, 0);
        return;
    }
    bool in = r.type == BLOCK_IN, data = in || r.type == BLOCK_OUT;
    if (READ_ONCE(b->out->status)) {
        finish(q, BLOCK_IOERR, 0);
        return;
    }
    if (in && (vq_write(q, NULL, q->progress) != q->progress || vq_write(q, b->out->data, b->piece) != b->piece))
        q->bad = true; /* shorter than it was */
    q->progress += b->piece;
    if (q->bad || !data || q->progress >= length_of(q, &r))
        finish(q, BLOCK_OK, in ? q->progress : 0);
}

static void answered(struct split_block *b)
{
    if (!b->busy || __atomic_load_n(&b->out->done, __ATOMIC_ACQUIRE) != b->asked)
        return;
    b->busy = false;
    if (!b->stale)
        take(b);
    b->stale = false;
}

/*
 * Linux rang, or the last call left something over.  One budget for what came back, then one for what the guest waits
 * with: a guest on another core can fill the queue as fast as this empties it.  Returns true if there is more.
 */
static bool rung(void *arg)
{
    struct split_block *b = arg;
    unsigned long flags = spin_lock_irqsave(&b->v.dev.lock);
    b->v.budget = VIRTIO_BUDGET;
    answered(b);
    spin_unlock_irqrestore(&b->v.dev.lock, flags);
    flags = spin_lock_irqsave(&b->v.dev.lock);
    b->v.budget = VIRTIO_BUDGET;
    notify(&b->v, &b->v.queue[0]);
    bool more = b->v.budget <= 0 && !b->busy;
    spin_unlock_irqrestore(&b->v.dev.lock, flags);
    return more;
}

static void reset(struct virtio *v)
{
    struct split_block *b = container_of(v, struct split_block, v);
    b->stale = b->busy;
}

static const struct virtio_type types[2] = {
    BLOCK_TYPE(struct split_block, 0, CHAIN, .reset = reset),
    BLOCK_TYPE(struct split_block, BLK_F_RO, CHAIN, .reset = reset),
};

__init_text int split_block_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys)
{
    struct split_block *b = container_of(v, struct split_block, v);
    bool readonly = conf->flags & SYS_DEV_READONLY;
    if (conf->sectors > MAX_SECTORS)
        return -ERANGE;
    b->config.capacity = conf->sectors;
    b->config.seg_max = CHAIN - BLOCK_BESIDE;
    u32 flags = readonly ? BACKEND_READONLY : 0;
    struct split_entry e = {
        BACKEND_BLOCK, flags, sys_string(sys, conf->name), b->config.capacity, sizeof(struct backend_block), rung, b
    };
    int entry = split_claim(&e, (void **)&b->out);
    if (entry < 0)
        return entry;
    b->entry = (unsigned)entry;
    v->type = &types[readonly];
    return 0;
}
