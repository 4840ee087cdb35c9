/* SPDX-License-Identifier: MIT */
/*
 * virtio-net.h - drives a virtio network card (Virtual I/O Device 1.1, 5.1) as a process's device (amalgam/dma.h).
 *
 * The pinned memory is places of 2 KiB: first those of frames that come, all of which the card has at any time, then
 * those of frames to send. Each is one piece of a request: a head, which is zeros here, and the frame. The card's
 * queues are the kernel's, which made the card ready.
 *
 * One thread at a time uses a card, or one receives and one sends.
 */
#ifndef AMALGAM_DRIVERS_VIRTIO_NET_H
#define AMALGAM_DRIVERS_VIRTIO_NET_H

#include <amalgam/dma.h>
#include <stdbool.h>
#include <string.h>

#define CARD_FRAME  1514u /* bytes of the longest one, without its check sequence */
#define CARD_HEAD   12u
#define CARD_PLACE  2048u
#define CARD_PLACES AMALGAM_DMA_PIECES /* in each direction */
#define CARD_MEMORY (2 * CARD_PLACES * CARD_PLACE)

enum { CARD_COMES, CARD_GOES }; /* queues */

struct card {
    unsigned device;            /* the handle */
    uint8_t *memory;            /* pinned */
    uint8_t comes[CARD_PLACES]; /* the place of each request, by its number */
    uint8_t goes[CARD_PLACES];  /* the same */
    uint8_t free[CARD_PLACES];  /* places for frames to send */
    unsigned n_free;
    unsigned lost;      /* how often the card was done with what it does not have */
    uint8_t address[6]; /* its Ethernet address */
};

/* Let the card have a place for a frame. */
static inline int64_t card_offer(struct card *c, unsigned place)
{
    int64_t number =
        amalgam_dma_submit(c->device, CARD_COMES | AMALGAM_DMA_WRITES, place * CARD_PLACE, CARD_HEAD + CARD_FRAME);
    if (number >= 0)
        c->comes[number] = (uint8_t)place;
    return number;
}

/* There is nothing to begin anew: what the card says wrong concerns the request that it names. */
static inline int64_t card_begin(struct card *c)
{
    (void)c;
    return 0;
}

/* Find the card, the process's device `n`, and begin. Returns 0 or an error of the kernel's; -ENODEV: the device is
 * another one. */
static inline int64_t card_open(struct card *c, unsigned n)
{
    uint8_t *memory;
    int64_t found = amalgam_device_open_kind(n, AMALGAM_VIRTIO_NET, CARD_MEMORY, &memory);
    if (found < 0)
        return found;
    unsigned device = (unsigned)found;
    *c = (struct card){ .device = device, .memory = memory };
    for (unsigned i = 0; i < sizeof(c->address); i++)
        c->address[i] = (uint8_t)amalgam_device_read(device, i, 1);
    for (unsigned i = 0; i < CARD_PLACES; i++) {
        int64_t number = card_offer(c, i);
        if (number < 0)
            return number;
        c->free[c->n_free++] = (uint8_t)(CARD_PLACES + i);
    }
    return 0;
}

/* Take back the next request of a queue. Returns what amalgam_dma_done() does, but for what is none of ours. */
static inline int64_t card_done(struct card *c, unsigned queue)
{
    int64_t done;
    while ((done = amalgam_dma_done(c->device, queue)) == -AMALGAM_EIO)
        c->lost++;
    return done;
}

/* Send a frame of at most CARD_FRAME bytes. Returns false if all places are being sent already. */
static inline bool card_send(struct card *c, const void *frame, size_t n)
{
    for (int64_t done; (done = card_done(c, CARD_GOES)) >= 0;)
        c->free[c->n_free++] = c->goes[done >> 32];
    if (!c->n_free)
        return false;
    unsigned place = c->free[c->n_free - 1];
    memcpy(c->memory + place * CARD_PLACE + CARD_HEAD, frame, n);
    int64_t number = amalgam_dma_submit(c->device, CARD_GOES, place * CARD_PLACE, (uint32_t)(CARD_HEAD + n));
    if (number < 0)
        return false;
    c->goes[number] = (uint8_t)place;
    c->n_free--;
    return true;
}

/* Take a received frame. Returns its bytes, at most CARD_FRAME, or 0: there is none. */
static inline size_t card_take(struct card *c, uint8_t frame[CARD_FRAME])
{
    for (int64_t done; (done = card_done(c, CARD_COMES)) >= 0;) {
        unsigned place = c->comes[done >> 32];
        uint32_t n = (uint32_t)done;
        if (n > CARD_HEAD)
            memcpy(frame, c->memory + place * CARD_PLACE + CARD_HEAD, n - CARD_HEAD);
        card_offer(c, place);
        if (n > CARD_HEAD)
            return n - CARD_HEAD;
    }
    return 0;
}

/* The same, as a card that may have to begin anew has it. */
static inline size_t card_receive(struct card *c, uint8_t frame[CARD_FRAME]) { return card_take(c, frame); }

/* Wait for an interrupt and let the next one come. Returns 0 or an error of irq_wait(). Then frames may have come or
 * gone; call this again only after card_receive() has returned 0. */
static inline int64_t card_wait(struct card *c, uint64_t deadline)
{
    int64_t err = amalgam_irq_wait(c->device, deadline);
    return err ? err : amalgam_irq_done(c->device);
}

#endif
