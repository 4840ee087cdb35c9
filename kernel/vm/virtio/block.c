/* SPDX-License-Identifier: MIT */
/*
 * block.c - virtio block over a payload of the system image in RAM (virtio 1.2, 5.2).
 *
 * A request is a copy, made at once by the vCPU that notified. An exit moves at most VIRTIO_BUDGET bytes.
 * queue.progress says how much of the present request is done, and the guest repeats its notification, so that
 * interrupts are taken in between. Writes change the payload and are lost when the board is reset.
 */
#include <errors.h>
#include <string.h>
#include "block.h"

/* Without split_block.c disks are in RAM only; a domain with another one cannot be created. */
__init_text __optional int split_block_create(struct virtio *v, const struct sys_device *conf,
                                              const struct sys_header *sys)
{
    return -ENODEV;
}

struct virtio_block {
    struct virtio v;
    struct block_config config;
    u8 *disk;
};

_Static_assert(sizeof(struct virtio_block) <= PAGE_SIZE, "one page a device");

/* Transfer the data of a read or write, which is between header and status byte. Returns true if the budget ended
 * first. */
static bool transfer(struct virtio_block *b, struct virtq *q, const struct block_request *r, u64 length, u8 *status)
{
    enum vq_stream stream = r->type == BLOCK_IN ? VQ_WRITE : VQ_READ;
    u64 end = b->config.capacity, done = q->progress;
    if (r->sector > end || length / BLOCK_SECTOR > end - r->sector || length % BLOCK_SECTOR ||
        (stream == VQ_READ && b->v.type->features & BLK_F_RO)) {
        *status = BLOCK_IOERR;
        return false;
    }
    /* The driver may have rewritten a request that is partly done. */
    if (done > length || vq_move(q, NULL, done, stream) != done) {
        q->bad = true;
        return false;
    }
    u64 n = MIN(length - done, (u64)MAX(*q->budget, BLOCK_SECTOR));
    q->progress += vq_move(q, b->disk + r->sector * BLOCK_SECTOR + done, n, stream);
    return q->progress < length && !q->bad;
}

/* Serve one chain and complete it, unless the budget ends first. */
static void serve(struct virtio_block *b, struct virtq *q)
{
    struct block_request r;
    u8 status = BLOCK_OK;
    u64 room = q->bytes[VQ_WRITE] - 1, filled = 0; /* bytes for data, without the status byte */
    if (!q->bytes[VQ_WRITE] || vq_read(q, &r, sizeof(r)) != sizeof(r)) {
        q->bad = true; /* there is no status byte to report it in */
    } else if (r.type == BLOCK_IN || r.type == BLOCK_OUT) {
        if (transfer(b, q, &r, r.type == BLOCK_IN ? room : q->bytes[VQ_READ] - sizeof(r), &status))
            return;
        filled = r.type == BLOCK_IN ? q->progress : 0;
    } else if (r.type == BLOCK_GET_ID) {
        filled = vq_write(q, BLOCK_ID, MIN(room, (u64)BLOCK_ID_BYTES));
    } else if (r.type != BLOCK_FLUSH) {
        status = BLOCK_UNSUPP;
    }
    if (!q->bad)
        *q->last = status;
    vq_complete(q, filled + (filled == room)); /* the length counts bytes without a gap (2.7.8.2) */
}

static void disk_notify(struct virtio *v, struct virtq *q)
{
    while (vq_peek(q, &v->budget))
        serve(container_of(v, struct virtio_block, v), q);
}

static const struct virtio_type types[2] = {
    BLOCK_TYPE(struct virtio_block, 0, CHAIN_MAX, disk_notify),
    BLOCK_TYPE(struct virtio_block, BLK_F_RO, CHAIN_MAX, disk_notify),
};

__init_text int virtio_block_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys)
{
    struct virtio_block *b = container_of(v, struct virtio_block, v);
    u64 size = 0;
    if (conf->flags & SYS_DEV_BACKEND)
        return split_block_create(v, conf, sys);
    /* The image may be written: the compiler gives a writable payload to one device only. */
    b->disk = (u8 *)sys_payload(sys, conf->payload, &size);
    if (!b->disk)
        return -EINVAL;
    b->config.capacity = size / BLOCK_SECTOR;
    b->config.seg_max = CHAIN_MAX - BLOCK_BESIDE;
    v->type = &types[!!(conf->flags & SYS_DEV_READONLY)];
    return 0;
}
