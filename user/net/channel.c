/* SPDX-License-Identifier: MIT */
/*
 * channel.c - an interface of the stack: frames in a channel's memory (frames.h), to and from a card's driver or
 * another stack. One thread takes what comes; whoever sends puts its frame with the stack's lock.
 */
#include <amalgam/tunnel.h>
#include <string.h>

#include "frames.h"
#include "interface.h"
#include "lwip/sys.h"
#include "lwip/tcpip.h"
#include "stack.h"

#define LOT        16 /* frames that the stack's lock is kept for */
#define STACK      16384
#define GRANTED_NS 100000000u /* how often a channel that was withdrawn is looked at */

struct channel {
    struct frames frames;
    struct amalgam_tunnel tunnel;
    struct netif *interface;
};

static struct channel channels[NET_INTERFACES];

static bool begin(struct channel *c)
{
    uint32_t peer = (uint32_t)amalgam_tunnel_info(c->tunnel.index, AMALGAM_TUNNEL_INFO_PEER);
    return frames_begin(&c->frames, c->tunnel.memory, c->tunnel.size,
                        frames_end((uint32_t)amalgam_info(AMALGAM_INFO_DOMAIN), peer));
}

/* With the stack's lock. A full ring is ERR_MEM: TCP sends again, other protocols lose the frame. */
static err_t send(struct netif *interface, struct pbuf *p)
{
    struct channel *c = interface->state;
    size_t n = p->tot_len - ETH_PAD_SIZE;
    uint8_t *to = n <= FRAMES_LONGEST ? frames_room(&c->frames) : NULL;
    if (!to)
        return ERR_MEM;
    pbuf_copy_partial(p, to, (u16_t)n, ETH_PAD_SIZE);
    frames_put(&c->frames, n);
    if (frames_bell(&c->frames))
        amalgam_tunnel_notify(c->tunnel.index); /* a peer that has ended looks when it begins again */
    return ERR_OK;
}

/* Frames are copied, since their writer may change them. Returns whether there may be more. */
static bool receive_some(struct channel *c)
{
    size_t length;
    const uint8_t *frame;
    LOCK_TCPIP_CORE();
    for (unsigned i = 0; (frame = frames_look(&c->frames, &length)) && i < LOT; i++) {
        net_received(c->interface, frame, length);
        frames_taken(&c->frames);
    }
    UNLOCK_TCPIP_CORE();
    return frame;
}

/*
 * Take the card's address, if there is a card, and whether the link is up. Without a card it is while the other end
 * runs: `told` is what the last wait for its bell returned.
 */
static void look_at_link(struct channel *c, int64_t told)
{
    uint8_t address[6];
    bool link, card = frames_card(&c->frames, address, &link);
    struct netif *i = c->interface;
    if (!card)
        link = told != -AMALGAM_EPIPE || amalgam_tunnel_info(c->tunnel.index, AMALGAM_TUNNEL_INFO_RUNNING) == 1;
    bool other = card && memcmp(i->hwaddr, address, sizeof address);
    if (!other && link == !!netif_is_link_up(i))
        return;
    LOCK_TCPIP_CORE();
    if (other) {
        netif_set_link_down(i);
        memcpy(i->hwaddr, address, sizeof address);
    }
    link ? netif_set_link_up(i) : netif_set_link_down(i);
    UNLOCK_TCPIP_CORE();
}

static void await_grant(struct channel *c)
{
    while (amalgam_tunnel_open(c->tunnel.index, &c->tunnel))
        amalgam_sleep_until(amalgam_clock() + GRANTED_NS);
}

static void taker(void *channel)
{
    struct channel *c = channel;
    for (;;) {
        int64_t told = 0;
        while (receive_some(c))
            ;
        if (frames_sleep(&c->frames))
            told = amalgam_tunnel_wait(c->tunnel.index, AMALGAM_NEVER);
        frames_awake(&c->frames);
        if (told == -AMALGAM_EACCES)
            await_grant(c);
        look_at_link(c, told);
    }
}

static err_t prepare(struct netif *interface)
{
    struct channel *c = interface->state;
    uint32_t domain = (uint32_t)amalgam_info(AMALGAM_INFO_DOMAIN);
    const uint8_t address[6] = { 0x02, 0x41, 0x4d, (uint8_t)(domain >> 8), (uint8_t)domain, (uint8_t)c->tunnel.index };
    net_interface(interface, 'h', address, send);
    return ERR_OK;
}

void net_channel_begin(struct netif *interface)
{
    struct channel *c = interface->state;
    look_at_link(c, -AMALGAM_EPIPE);
    amalgam_tunnel_notify(c->tunnel.index); /* a stack at the other end looks whether this one runs */
    sys_thread_new("frames", taker, c, STACK, 0);
}

void net_channel_frames(const struct netif *interface, uint32_t *sent, uint32_t *received)
{
    const struct channel *c = interface->state;
    *sent = __atomic_load_n(&c->frames.put, __ATOMIC_RELAXED);
    *received = __atomic_load_n(&c->frames.taken, __ATOMIC_RELAXED);
}

bool net_channel_open(struct netif *interface, const struct net_plan *plan)
{
    struct channel *c = channels;
    while (c->interface)
        c++;
    if (amalgam_tunnel_open(plan->channel, &c->tunnel) || !begin(c))
        return false;
    c->interface = interface;
    netif_add(interface, &plan->address, &plan->mask, &plan->gateway, c, prepare, tcpip_input);
    return true;
}
