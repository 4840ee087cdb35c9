/* SPDX-License-Identifier: MIT */
/*
 * net.c - virtio network device (virtio 1.2, 5.1) on a switch between guests.
 *
 * A frame is copied once, by the sender's vCPU, from the sender's descriptors into the receiver's. There are no
 * offloads and no mergeable buffers: each buffer has a header and one Ethernet frame. A receiver without a buffer loses
 * the frame, as on a wire. The sender never waits for a receiver. Each frame that is lost is counted at a port.
 */
#include <string.h>
#include "net.h"

enum { RX, TX };
#define NET_F_MTU (1ull << 3)
#define NET_F_MAC (1ull << 5)
/* Two walks, the bytes and an interrupt. Where measuring the receiver's buffer leaves less, the next exit copies. */
#define COPY_COST (3 * VIRTIO_BUDGET / 8)

struct net_header {
    u8 flags, gso_type;
    u16 hdr_len, gso_size, csum_start, csum_offset, num_buffers;
};
_Static_assert(sizeof(struct net_header) == 12, "virtio 1.2, 5.1.6");

/* Return the frame's next bytes, at most *n. The caller has called vq_rewind and skipped to them. */
static void *piece(struct net_frame *f, u32 done, u32 *n)
{
    return f->chain ? vq_segment(f->chain, VQ_READ, n) : (void *)(f->bytes + done);
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

bool virtio_net_deliver(struct virtio_net *to, struct net_frame *f)
{
    static const struct net_header header = { .num_buffers = 1 };
    struct virtq *q = &to->v.queue[RX];
    if (!vq_peek(q, f->budget) || q->bytes[VQ_WRITE] < sizeof(header) + f->length) {
        to->lost++;
        return true;
    }
    if (*f->budget < COPY_COST) {
        *f->budget = 0;
        return false;
    }
    u32 written = vq_write(q, &header, sizeof(header));
    rewind_to(f, 0);
    for (u32 done = 0; done < f->length;) {
        u32 n = f->length - done;
        void *part = piece(f, done, &n);
        if (!part)
            return true; /* the sender has rewritten its chain meanwhile: nothing is sent */
        written += vq_write(q, part, n);
        done += n;
    }
    vq_complete(q, written);
    return true;
}

static void notify(struct virtio *v, struct virtq *q)
{
    struct virtio_net *net = container_of(v, struct virtio_net, v);
    while (q == &v->queue[TX] && vq_peek(q, &v->budget)) {
        u64 length = q->bytes[VQ_READ] - sizeof(struct net_header); /* wraps if it is too short, and is then too long */
        struct net_frame f = { q, sizeof(struct net_header), NULL, (u32)length, &v->budget, net->to, &q->progress };
        if (length < FRAME_MIN || length > FRAME_MAX)
            net->lost++;
        else if (!net_switch_forward(net->sw, net, &f))
            break; /* the other receivers get it when the notification is repeated */
        vq_complete(q, 0);
    }
}

static const struct virtio_type net_type = {
    .id = VIRTIO_ID_NET,
    .n_queues = 2,
    .chain = FRAME_CHAIN,
    .notify = notify,
    .features = VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT_DESC | NET_F_MTU | NET_F_MAC,
    .config = offsetof(struct virtio_net, config),
    .config_size = sizeof(struct net_config),
};

__init_text int virtio_net_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys)
{
    struct virtio_net *net = container_of(v, struct virtio_net, v);
    v->type = &net_type;
    memcpy(net->config.mac, conf->mac, MAC_BYTES);
    net->config.mtu = FRAME_MTU;
    return net_switch_join(conf->net, net);
}
