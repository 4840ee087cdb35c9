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

struct net_header {
    u8 flags, gso_type;
    u16 hdr_len, gso_size, csum_start, csum_offset, num_buffers;
};
_Static_assert(sizeof(struct net_header) == 12, "virtio 1.2, 5.1.6");

/* The frame's next bytes, at most *n; the caller began with vq_rewind and skipped to it. */
static void *piece(struct net_frame *f, u32 done, u32 *n)
{
    return f->chain ? vq_segment(f->chain, false, n) : (void *)(f->bytes + done);
}

static void rewind_to(struct net_frame *f, u32 from)
{
    if (f->chain) {
        vq_rewind(f->chain);
        vq_read(f->chain, NULL, f->offset + from);
    }
}

bool net_frame_copy(struct net_frame *f, u32 from, void *to, u32 n)
{
    rewind_to(f, from);
    if (f->chain)
        return vq_read(f->chain, to, n) == n;
    memcpy(to, f->bytes + from, n);
    return true;
}

void virtio_net_deliver(struct virtio_net *to, struct net_frame *f)
{
    static const struct net_header header = { .num_buffers = 1 };
    struct virtq *q = &to->v.queue[RX];
    struct vq_chain c;
    if (!vq_get(&to->v, q, &c, f->budget) || c.writable < sizeof(header) + f->length)
        return;
    u32 written = vq_write(&c, &header, sizeof(header));
    rewind_to(f, 0);
    for (u32 done = 0; done < f->length;) {
        u32 n = f->length - done;
        void *part = piece(f, done, &n);
        if (!part)
            return; /* the sender rewrote its chain meanwhile: nothing was sent */
        written += vq_write(&c, part, n);
        done += n;
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
        struct net_frame f = { &c, sizeof(struct net_header), NULL, (u32)length, &budget };
        if (length >= FRAME_MIN && length <= FRAME_MAX)
            net_switch_forward(net->sw, net, &f);
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
