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

struct split_block {
    struct virtio v;
    struct virtio_type type;
    struct block_config config;
    struct backend_block *out; /* memory shared with Linux */
    unsigned entry;
    bool readonly, busy, stale; /* a piece is out; it belongs to a life of the device that is over */
    u32 asked;                  /* our own count, Linux can write the other */
    u32 piece;                  /* bytes of what is out */
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

static void finish(struct split_block *b, struct vq_chain *c, u8 status, u64 filled)
{
    u64 room = c->writable - 1;
    vq_rewind(c);
    vq_write(c, NULL, room);
    vq_write(c, &status, 1);
    vq_put(&b->v, &b->v.queue[0], c, (u32)(filled + (filled == room)));
}

/* Bytes of data of a read or write. */
static u64 length_of(const struct vq_chain *c, const struct block_request *r)
{
    return r->type == BLOCK_IN ? c->writable - 1 : c->readable - sizeof(*r);
}

/* The next piece of a read or write goes out. */
static void transfer(struct split_block *b, struct vq_chain *c, const struct block_request *r)
{
    bool in = r->type == BLOCK_IN;
    u64 length = length_of(c, r), done = b->v.queue[0].progress, end = b->config.capacity;
    if (r->sector > end || length / BLOCK_SECTOR > end - r->sector || length % BLOCK_SECTOR || (!in && b->readonly)) {
        finish(b, c, BLOCK_IOERR, 0);
        return;
    }
    if (!length) {
        finish(b, c, BLOCK_OK, 0);
        return;
    }
    u32 n = (u32)MIN(length - MIN(done, length), (u64)BACKEND_DATA);
    if (!n || (!in && (vq_read(c, NULL, done) != done || vq_read(c, b->out->data, n) != n))) {
        c->bad = true; /* rewritten while we were in the middle of it */
        vq_put(&b->v, &b->v.queue[0], c, 0);
        return;
    }
    ask(b, in ? BACKEND_READ : BACKEND_WRITE, r->sector + done / BLOCK_SECTOR, n);
}

/* Look at the request at the head of the queue: answer it, or send its next piece. False: there is none. */
static bool begin(struct split_block *b, s32 *budget)
{
    struct block_request r;
    struct vq_chain c;
    if (!vq_get(&b->v, &b->v.queue[0], &c, budget))
        return false;
    if (!c.writable || vq_read(&c, &r, sizeof(r)) != sizeof(r)) {
        c.bad = true; /* nowhere to say what is wrong */
        vq_put(&b->v, &b->v.queue[0], &c, 0);
    } else if (r.type == BLOCK_IN || r.type == BLOCK_OUT) {
        transfer(b, &c, &r);
    } else if (r.type == BLOCK_FLUSH) {
        ask(b, BACKEND_FLUSH, 0, 0);
    } else if (r.type == BLOCK_GET_ID) {
        u64 room = c.writable - 1, filled = vq_write(&c, BLOCK_ID, MIN(room, (u64)BLOCK_ID_BYTES));
        finish(b, &c, BLOCK_OK, filled);
    } else {
        finish(b, &c, BLOCK_UNSUPP, 0);
    }
    return true;
}

/* Requests that need no answer from Linux are settled in this exit, as many as its budget allows. */
static bool notify(struct virtio *v, unsigned n)
{
    struct split_block *b = container_of(v, struct split_block, v);
    s32 budget = VIRTIO_BUDGET;
    while (!b->busy && budget > 0)
        if (!begin(b, &budget))
            return false;
    return !b->busy;
}

/* Linux is done with a piece of the request at the head of the queue. */
static void take(struct split_block *b, s32 *budget)
{
    struct virtq *q = &b->v.queue[0];
    struct block_request r;
    struct vq_chain c;
    if (!vq_get(&b->v, q, &c, budget))
        return;
    if (!c.writable || vq_read(&c, &r, sizeof(r)) != sizeof(r)) {
        c.bad = true;
        vq_put(&b->v, q, &c, 0);
        return;
    }
    bool in = r.type == BLOCK_IN, data = in || r.type == BLOCK_OUT;
    if (READ_ONCE(b->out->status)) {
        finish(b, &c, BLOCK_IOERR, 0);
        return;
    }
    if (in && (vq_write(&c, NULL, q->progress) != q->progress || vq_write(&c, b->out->data, b->piece) != b->piece))
        c.bad = true; /* shorter than it was */
    q->progress += b->piece;
    if (c.bad || !data || q->progress >= length_of(&c, &r))
        finish(b, &c, BLOCK_OK, in ? q->progress : 0);
}

static void answered(void *arg)
{
    struct split_block *b = arg;
    s32 budget = VIRTIO_BUDGET;
    unsigned long flags = spin_lock_irqsave(&b->v.dev.lock);
    if (b->busy && __atomic_load_n(&b->out->done, __ATOMIC_ACQUIRE) == b->asked) {
        b->busy = false;
        if (!b->stale)
            take(b, &budget);
        b->stale = false;
        while (!b->busy && begin(b, &budget))
            ;
    }
    spin_unlock_irqrestore(&b->v.dev.lock, flags);
}

static void reset(struct virtio *v)
{
    struct split_block *b = container_of(v, struct split_block, v);
    b->stale = b->busy;
}

__init_text int split_block_create(struct vm *vm, const struct sys_device *conf, const struct sys_header *sys)
{
    struct split_block *b = vm_device_alloc(vm);
    if (!b)
        return -ENOMEM;
    b->readonly = conf->flags & SYS_DEV_READONLY;
    for (unsigned i = 0; i < sizeof(conf->mac); i++)
        b->config.capacity |= (u64)conf->mac[i] << 8 * i;
    b->config.seg_max = VQ_MAX - 2;
    u32 flags = b->readonly ? BACKEND_READONLY : 0;
    struct split_entry e = {
        BACKEND_BLOCK, flags, sys_string(sys, conf->name), b->config.capacity, sizeof(struct backend_block), answered, b
    };
    int entry = split_claim(&e, (void **)&b->out);
    if (entry < 0)
        return entry;
    b->entry = (unsigned)entry;
    b->type = (struct virtio_type){
        .id = VIRTIO_ID_BLOCK,
        .n_queues = 1,
        .notify = notify,
        .reset = reset,
        .features = BLOCK_FEATURES | (b->readonly ? BLK_F_RO : 0),
    };
    return virtio_init(&b->v, vm, conf, &b->type, &b->config, sizeof(b->config));
}
