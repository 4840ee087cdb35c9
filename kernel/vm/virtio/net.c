/* SPDX-License-Identifier: MIT */
/*
 * net.c - virtio network device (virtio 1.2, 5.1): a port of a switch (net/net.h).
 *
 * A frame is copied once, by the sender's vCPU, from the sender's descriptors into the receiver's. There are no
 * offloads and no mergeable buffers: each buffer has a header and one Ethernet frame. A receiver without a buffer loses
 * the frame, as on a wire. The sender never waits for a receiver. Each frame that is lost is counted at a port.
 */
#include <net/net.h>
#include <string.h>
#include "virtio.h"

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
_Static_assert(NET_BUDGET == VIRTIO_BUDGET, "a switch is locked for one exit's work");

struct virtio_net {
    struct virtio v;
    struct net_port port;
    u8 to[MAC_BYTES]; /* where the frame that is being sent goes */
    struct net_config {
        u8 mac[MAC_BYTES];
        u16 status, pairs, mtu;
    } config;
};
_Static_assert(offsetof(struct net_config, mtu) == 10 && sizeof(struct net_config) == 12, "virtio 1.2, 5.1.4");

/* A frame in the chain at the head of a sender's queue, whose progress says which ports have got it. */
struct chain_frame {
    struct net_frame f;
    struct virtq *chain;
};

static void *piece(struct net_frame *f, u32 from, u32 *n)
{
    struct virtq *q = container_of(f, struct chain_frame, f)->chain;
    if (!from) {
        vq_rewind(q);
        vq_read(q, NULL, sizeof(struct net_header));
    }
    return vq_segment(q, VQ_READ, n);
}

static bool card_deliver(struct net_port *to, struct net_frame *f)
{
    static const struct net_header header = { .num_buffers = 1 };
    struct virtq *q = &container_of(to, struct virtio_net, port)->v.queue[RX];
    if (!vq_peek(q, f->budget) || q->bytes[VQ_WRITE] < sizeof(header) + f->length) {
        to->lost++;
        return true;
    }
    if (*f->budget < COPY_COST) {
        *f->budget = 0;
        return false;
    }
    u32 written = vq_write(q, &header, sizeof(header));
    for (u32 done = 0; done < f->length;) {
        u32 n = f->length - done;
        void *part = f->piece(f, done, &n);
        if (!part)
            return true; /* the sender has rewritten its chain meanwhile: nothing is sent */
        written += vq_write(q, part, n);
        done += n;
    }
    vq_complete(q, written);
    return true;
}

static void card_notify(struct virtio *v, struct virtq *q)
{
    struct virtio_net *net = container_of(v, struct virtio_net, v);
    while (q == &v->queue[TX] && vq_peek(q, &v->budget)) {
        u64 length = q->bytes[VQ_READ] - sizeof(struct net_header); /* wraps if it is too short, and is then too long */
        struct chain_frame c = { { piece, (u32)length, &v->budget, net->to, &q->progress }, q };
        if (length < FRAME_MIN || length > FRAME_MAX)
            net->port.lost++;
        else if (!net_switch_forward(net->port.sw, &net->port, &c.f))
            break; /* the other receivers get it when the notification is repeated */
        vq_complete(q, 0);
    }
}

static const struct virtio_type net_type = {
    .id = VIRTIO_ID_NET,
    .n_queues = 2,
    .chain = CHAIN_SHORT,
    .notify = card_notify,
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
    net->port = (struct net_port){ .deliver = card_deliver, .mac = net->config.mac, .owner = v->dev.vm };
    int err = net_switch_join(conf->net, &net->port);
    if (!err)
        v->shared = net_switch_lock(net->port.sw);
    return err;
}
