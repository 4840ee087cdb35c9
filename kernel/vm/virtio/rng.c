/* SPDX-License-Identifier: MIT */
/*
 * rng.c - virtio entropy source (virtio 1.2, 5.4): the machine's own random
 * numbers, a few at a time.  Where the machine has none the slot holds a device
 * with id 0, which drivers ignore without a word (4.2.3.1.1).
 */
#include <errors.h>
#include "virtio.h"

#define SIP       64 /* bytes a buffer at most; drivers come back for more */
#define BYTE_COST 64 /* the instruction is slow (about 1 us for 8 bytes) */

static bool notify(struct virtio *v, unsigned n)
{
    struct vq_chain c;
    u8 random[SIP];
    s32 budget = VIRTIO_BUDGET;
    while (budget > 0) {
        if (!vq_get(v, &v->queue[n], &c, &budget))
            return false;
        u32 written = hal_entropy(random, SIP) ? 0 : vq_write(&c, random, SIP);
        budget -= SIP * BYTE_COST;
        vq_put(v, &v->queue[n], &c, written);
    }
    return true;
}

static const struct virtio_type rng_type = {
    .id = VIRTIO_ID_RNG,
    .n_queues = 1,
    .features = VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT_DESC,
    .notify = notify,
};
static const struct virtio_type none_type = { .id = VIRTIO_ID_NONE };

__init_text int virtio_rng_create(struct vm *vm, const struct sys_device *conf)
{
    u8 probe;
    struct virtio *v = vm_device_alloc(vm);
    if (!v)
        return -ENOMEM;
    return virtio_init(v, vm, conf, hal_entropy(&probe, 1) ? &none_type : &rng_type, NULL, 0);
}
