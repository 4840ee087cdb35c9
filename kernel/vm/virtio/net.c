/* SPDX-License-Identifier: MIT */
/*
 * net.c - virtio network device (virtio 1.2, 5.1) on a switch between guests.
 *
 * A frame is copied once, from the sender's descriptors into the receiver's, by the
 * sender's vCPU.  No offloads, no mergeable buffers: header plus one Ethernet frame
 * a buffer.  A receiver without a buffer loses the frame, as on a wire; it costs the
 * sender nothing but the copy and never waits for anybody.
 */
#include <errors.h>
#include <string.h>
#include "net.h"

enum { RX, TX };
#define NET_F_MAC (1ull << 5)
#define FRAME_MIN 14
#define FRAME_MAX 1522

struct net_header {
    u8 flags, gso_type;
    u16 hdr_len, gso_size, csum_start, csum_offset, num_buffers;
};
_Static_assert(sizeof(struct net_header) == 12, "virtio 1.2, 5.1.6");

void virtio_net_deliver(struct virtio_net *to, struct vq_chain *frame, u32 offset, u32 length)
{
    static const struct net_header header = { .num_buffers = 1 };
    struct virtq *q = &to->v.queue[RX];
    struct vq_chain c;
    if (!vq_get(&to->v, q, &c, frame->budget) || c.writable < sizeof(header) + length)
        return;
    u32 written = vq_write(&c, &header, sizeof(header));
    vq_rewind(frame);
    vq_read(frame, NULL, offset);
    for (u32 left = length; left;) {
        u32 n = left;
        void *part = vq_segment(frame, false, &n);
        if (!part)
            return; /* the sender rewrote its chain meanwhile: nothing was sent */
        written += vq_write(&c, part, n);
        left -= n;
    }
    vq_put(&to->v, q, &c, written);
}

static bool transmit(struct virtio_net *net)
{
    struct virtq *q = &net->v.queue[TX];
    struct vq_chain c;
    s32 budget = VIRTIO_BUDGET;
    while (budget > 0) {
        if (!vq_get(&net->v, q, &c, &budget))
            return false;
        u64 length = c.readable - sizeof(struct net_header); /* wraps when it is too short: too long then */
        if (length >= FRAME_MIN && length <= FRAME_MAX)
            net_switch_forward(net, &c, sizeof(struct net_header), length);
        vq_put(&net->v, q, &c, 0);
    }
    return true;
}

static bool notify(struct virtio *v, unsigned q) { return q == TX && transmit(container_of(v, struct virtio_net, v)); }

static const struct virtio_type net_type = {
    .id = VIRTIO_ID_NET,
    .n_queues = 2,
    .notify = notify,
    .features = VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT_DESC | NET_F_MAC,
};

__init_text int virtio_net_create(struct vm *vm, const struct sys_device *conf)
{
    struct virtio_net *net = vm_device_alloc(vm);
    if (!net)
        return -ENOMEM;
    net->v.dev.vm = vm; /* the port is to be known as its own even if the rest fails */
    memcpy(net->mac, conf->mac, MAC_BYTES);
    int err = net_switch_join(conf->net, net); /* first: a device that answers must have a switch */
    return err ? err : virtio_init(&net->v, vm, conf, &net_type, net->mac, MAC_BYTES);
}
