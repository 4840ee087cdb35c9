/* SPDX-License-Identifier: MIT */
/*
 * block.c - virtio block over a payload of the system image in RAM (virtio 1.2, 5.2).
 *
 * The disk is a payload: a request is a copy, done at once by the vCPU that notified.
 * An exit moves at most VIRTIO_BUDGET bytes; how far the request at hand has come is
 * kept (queue.progress) and the guest's notification repeats, so interrupts are taken
 * in between.  Writes change the payload and last until the board is reset.
 */
#include <errors.h>
#include <string.h>
#include "block.h"

struct virtio_block {
    struct virtio v;
    struct virtio_type type;
    struct block_config config;
    u8 *disk;
    bool readonly;
};

_Static_assert(sizeof(struct virtio_block) <= PAGE_SIZE, "one page a device");

/* Read or write: the data lies between header and status byte. True when the budget ended first. */
static bool transfer(struct virtio_block *b, struct virtq *q, struct vq_chain *c, const struct block_request *r,
                     u64 length, u8 *status)
{
    bool in = r->type == BLOCK_IN;
    u64 end = b->config.capacity, done = q->progress;
    if (r->sector > end || length / BLOCK_SECTOR > end - r->sector || length % BLOCK_SECTOR || (!in && b->readonly)) {
        *status = BLOCK_IOERR;
        return false;
    }
    /* The driver may have rewritten a request that we are in the middle of. */
    if (done > length || (in ? vq_write(c, NULL, done) : vq_read(c, NULL, done)) != done) {
        c->bad = true;
        return false;
    }
    u8 *at = b->disk + r->sector * BLOCK_SECTOR + done;
    u64 n = MIN(length - done, (u64)MAX(*c->budget, BLOCK_SECTOR));
    q->progress += in ? vq_write(c, at, n) : vq_read(c, at, n);
    return q->progress < length && !c->bad;
}

/* Serve one chain and give it back; true when the budget ended first. */
static bool serve(struct virtio_block *b, struct virtq *q, struct vq_chain *c)
{
    struct block_request r;
    u8 status = BLOCK_OK;
    u64 room = c->writable - 1, filled = 0; /* for data, before the status byte */
    if (!c->writable || vq_read(c, &r, sizeof(r)) != sizeof(r)) {
        c->bad = true; /* nowhere to say what is wrong */
    } else if (r.type == BLOCK_IN || r.type == BLOCK_OUT) {
        if (transfer(b, q, c, &r, r.type == BLOCK_IN ? room : c->readable - sizeof(r), &status))
            return true;
        filled = r.type == BLOCK_IN ? q->progress : 0;
    } else if (r.type == BLOCK_GET_ID) {
        filled = vq_write(c, BLOCK_ID, MIN(room, (u64)BLOCK_ID_BYTES));
    } else if (r.type != BLOCK_FLUSH) {
        status = BLOCK_UNSUPP;
    }
    if (!c->bad) {
        vq_rewind(c);
        vq_write(c, NULL, room);
        vq_write(c, &status, 1);
    }
    vq_put(&b->v, q, c, filled + (filled == room)); /* the length counts bytes without a gap (2.7.8.2) */
    return false;
}

static bool notify(struct virtio *v, unsigned n)
{
    struct virtio_block *b = container_of(v, struct virtio_block, v);
    struct vq_chain c;
    s32 budget = VIRTIO_BUDGET;
    while (budget > 0) {
        if (!vq_get(v, &v->queue[n], &c, &budget))
            return false;
        if (serve(b, &v->queue[n], &c))
            break;
    }
    return true;
}

__init_text int virtio_block_create(struct vm *vm, const struct sys_device *conf, const struct sys_header *sys)
{
    u64 size = 0;
    /* The image is ours to write: the compiler gives a writable payload to one device only. */
    u8 *disk = (u8 *)sys_payload(sys, conf->payload, &size);
    if (!disk)
        return -EINVAL;
    struct virtio_block *b = vm_device_alloc(vm);
    if (!b)
        return -ENOMEM;
    b->disk = disk;
    b->readonly = conf->flags & SYS_DEV_READONLY;
    b->config = (struct block_config){ .capacity = size / BLOCK_SECTOR, .seg_max = VQ_MAX - 2 };
    b->type = (struct virtio_type){
        .id = VIRTIO_ID_BLOCK,
        .n_queues = 1,
        .notify = notify,
        .features = BLOCK_FEATURES | (b->readonly ? BLK_F_RO : 0),
    };
    return virtio_init(&b->v, vm, conf, &b->type, &b->config, sizeof(b->config));
}
