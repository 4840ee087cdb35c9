/* SPDX-License-Identifier: MIT */
/*
 * ethernet.h - a driver of a network card for a stack in another process: arguments [NAME, DEVICE, TUNNEL], both 0 if
 * not said. Frames are handed over in the tunnel's memory (user/net/frames.h). Who includes this is the program: it has
 * defined PROGRAM, and included what drives its card (rtl8139.h, virtio-net.h), with `struct card` and card_...().
 *
 * Two threads: one takes what the card has received, at its interrupts, and one sends what the stack has put, at the
 * tunnel's bell. What the card receives while the ring of the tunnel is full is lost; what the stack puts waits until
 * the card has sent one of its frames, for which the first thread wakes the second. A lock keeps a reset of the card,
 * after an overflow, and sending apart. The driver believes no word of the stack's, nor its address. Without its
 * tunnel, because that was withdrawn, it ends by a page fault; when it begins again it waits for the tunnel.
 */
#ifndef AMALGAM_DRIVERS_ETHERNET_H
#define AMALGAM_DRIVERS_ETHERNET_H

#include <amalgam/tunnel.h>
#include <pthread.h>
#include <stdlib.h>

#include "../net/frames.h"
#include "../programs/must.h"

#define LOT        64           /* frames between two looks at the other end */
#define GRANTED_NS 100000000ull /* how often a tunnel that is withdrawn is looked at */
#define SEND_NS    10000000ull  /* the longest wait for the card to have sent a frame, and to miss a wake-up */

static struct card card;
static struct frames frames;
static struct amalgam_tunnel tunnel;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;
static uint32_t interrupts; /* counted, so that who waits for one misses none */

static void ring(void)
{
    if (frames_bell(&frames))
        amalgam_tunnel_notify(tunnel.index); /* a peer that has ended looks when it begins again */
}

/* --- from the card ------------------------------------------------------------------------------------------------ */

/* Take one frame. Returns whether there was one. */
static bool receive(void)
{
    static uint8_t lost[CARD_FRAME];
    unsigned before = card.lost;
    uint8_t *to = frames_room(&frames);
    size_t n = card_take(&card, to ? to : lost);
    if (n && to)
        frames_put(&frames, n);
    if (card.lost != before) {
        pthread_mutex_lock(&sending);
        card_begin(&card);
        pthread_mutex_unlock(&sending);
    }
    return n;
}

static void receive_for_ever(void)
{
    for (;;) {
        unsigned n = 0;
        while (n < LOT && receive())
            n++;
        if (n)
            ring();
        if (n < LOT && !card_wait(&card, AMALGAM_NEVER)) {
            __atomic_fetch_add(&interrupts, 1, __ATOMIC_RELEASE);
            amalgam_wake(&interrupts, 1);
        }
    }
}

/* --- to the card -------------------------------------------------------------------------------------------------- */

/* Whether a frame is for others: not too long for Ethernet, and from the card's address. A stack that has not yet seen
 * which card this is says another one, under which a DHCP server would remember it. */
static bool is_sent(const uint8_t *frame, size_t n)
{
    return n <= CARD_FRAME && !memcmp(frame + sizeof(card.address), card.address, sizeof(card.address));
}

/* Returns false: the card has no place. */
static bool send(const uint8_t *frame, size_t n)
{
    if (!is_sent(frame, n))
        return true; /* nobody gets it */
    pthread_mutex_lock(&sending);
    bool sent = card_send(&card, frame, n);
    pthread_mutex_unlock(&sending);
    return sent;
}

static void send_all(void)
{
    size_t n;
    const uint8_t *frame;
    while ((frame = frames_look(&frames, &n))) {
        uint32_t seen = __atomic_load_n(&interrupts, __ATOMIC_ACQUIRE);
        if (send(frame, n))
            frames_taken(&frames);
        else
            amalgam_wait(&interrupts, seen, amalgam_clock() + SEND_NS);
    }
}

static void *send_for_ever(void *unused)
{
    for (;;) {
        int64_t err = 0;
        send_all();
        if (frames_sleep(&frames))
            err = amalgam_tunnel_wait(tunnel.index, AMALGAM_NEVER);
        frames_awake(&frames);
        if (err == -AMALGAM_EACCES)
            amalgam_sleep_until(amalgam_clock() + GRANTED_NS);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t sender;
    unsigned device = argc > 1 ? (unsigned)atoi(argv[1]) : 0, index = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    int64_t err;
    while ((err = amalgam_tunnel_open(index, &tunnel)) == -AMALGAM_EACCES)
        amalgam_sleep_until(amalgam_clock() + GRANTED_NS);
    RESULT(err);
    uint32_t peer = (uint32_t)RESULT(amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_PEER));
    uint32_t own = (uint32_t)RESULT(amalgam_info(AMALGAM_INFO_DOMAIN));
    RESULT(card_open(&card, device));
    MUST(frames_begin(&frames, tunnel.memory, tunnel.size, frames_end(own, peer)));
    frames_tell_card(&frames, card.address, true);
    amalgam_tunnel_notify(index);
    printf(PROGRAM ": %02x:%02x:%02x:%02x:%02x:%02x\n", card.address[0], card.address[1], card.address[2],
           card.address[3], card.address[4], card.address[5]);
    MUST(!pthread_create(&sender, NULL, send_for_ever, NULL));
    receive_for_ever();
}

#endif
