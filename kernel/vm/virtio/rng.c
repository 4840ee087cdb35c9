/* SPDX-License-Identifier: MIT */
/*
 * rng.c - virtio entropy source (virtio 1.2, 5.4): a few of the machine's random bytes at a time. If the machine has no
 * source, the slot holds a device with id 0, which drivers ignore silently (4.2.3.1.1).
 */
#include "virtio.h"

#define SIP       64   /* at most this many bytes for each buffer; drivers ask again */
#define BYTE_COST 1024 /* the instruction is slow (about 1 us for 8 bytes) */

static void rng_notify(struct virtio *v, struct virtq *q)
{
    u8 random[SIP];
    while (vq_peek(q, &v->budget)) {
        u32 written = hal_entropy(random, SIP) ? 0 : vq_write(q, random, SIP);
        v->budget -= SIP * BYTE_COST;
        vq_complete(q, written);
    }
}

static const struct virtio_type rng_type = {
    .id = VIRTIO_ID_RNG,
    .n_queues = 1,
    .chain = CHAIN_MAX,
    .features = VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT_DESC,
    .notify = rng_notify,
};
static const struct virtio_type none_type = { .id = VIRTIO_ID_NONE };

__init_text int virtio_rng_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys)
{
    u8 probe;
    v->type = hal_entropy(&probe, 1) ? &none_type : &rng_type;
    return 0;
}
