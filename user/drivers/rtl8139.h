/* SPDX-License-Identifier: MIT */
/*
 * rtl8139.h - drives a network card RTL8139 (RTL8139C(L) data sheet 1.4) as a process's device (amalgam/devices.h).
 *
 * The pinned memory holds the ring of received frames, and behind it a place for each of the four frames that the card
 * sends at once. The kernel turns their offsets into addresses. One thread at a time uses a card, or one receives and
 * one sends, and card_begin() is called by neither while the other one is at work.
 */
#ifndef AMALGAM_DRIVERS_RTL8139_H
#define AMALGAM_DRIVERS_RTL8139_H

#include <amalgam/devices.h>
#include <stdbool.h>
#include <string.h>

#define CARD_RTL8139 0 /* what amalgam_device_info() says of its class */

#define CARD_FRAME  1514u /* bytes of the longest one, without its check sequence */
#define CARD_RING   (64u << 10)
#define CARD_SENDS  4u
#define CARD_OUT    (CARD_RING + 4096) /* offset of the first frame to send; each has 2 KiB */
#define CARD_MEMORY (CARD_OUT + CARD_SENDS * 2048)
#define CARD_SHORT  60u           /* a frame is filled up to this */
#define CARD_LATEST 1000000000ull /* ns that a reset may take */

enum card_register {
    CARD_IDR0 = 0x00,
    CARD_MAR0 = 0x08,
    CARD_TSD0 = 0x10,
    CARD_TSAD0 = 0x20,
    CARD_RBSTART = 0x30,
    CARD_CR = 0x37,
    CARD_CAPR = 0x38,
    CARD_IMR = 0x3c,
    CARD_ISR = 0x3e,
    CARD_TCR = 0x40,
    CARD_RCR = 0x44,
};

#define CARD_EMPTY      0x01 /* CR: the ring is */
#define CARD_ENABLED    0x0c
#define CARD_RESET      0x10
#define CARD_SENT       0x2000u /* TSD: the card has no more to do with the frame */
#define CARD_INTERRUPTS 0x007fu /* received, sent, errors of both, overflows, link */
#define CARD_RECEIVES                                                                                                  \
    0x0000f80eu /* RCR: frames for this card, multicast, broadcast; the ring; bursts as long as may be */
#define CARD_SENDING 0x03000600u
#define CARD_GOOD    0x0001u /* of a received frame */
#define CARD_HEAD    4u      /* bytes before a received frame: status, length with the check sequence */
#define CARD_CHECK   4u

struct card {
    unsigned device;    /* the handle */
    uint8_t *memory;    /* pinned */
    uint32_t at;        /* offset of the next received frame */
    unsigned next;      /* the next frame to send */
    unsigned lost;      /* how often the ring began anew, because it was full or not what it must be */
    uint8_t address[6]; /* its Ethernet address */
};

static inline int64_t card_read(const struct card *c, unsigned at, unsigned width)
{
    return amalgam_device_read(c->device, at, width);
}

static inline int64_t card_write(const struct card *c, unsigned at, unsigned width, uint32_t value)
{
    return amalgam_device_write(c->device, at, width, value);
}

/* Reset the card, and let it receive and send. Returns 0 or an error of the kernel's. */
static inline int64_t card_begin(struct card *c)
{
    uint64_t latest = amalgam_clock() + CARD_LATEST;
    int64_t err = card_write(c, CARD_CR, 1, CARD_RESET);
    if (err)
        return err;
    while (card_read(c, CARD_CR, 1) & CARD_RESET)
        if (amalgam_clock() > latest)
            return -AMALGAM_ETIMEDOUT;
    c->at = c->next = 0;
    const struct {
        unsigned at, width;
        uint32_t value;
    } writes[] = {
        { CARD_RBSTART, 4, 0 },
        { CARD_TSAD0, 4, CARD_OUT },
        { CARD_TSAD0 + 4, 4, CARD_OUT + 2048 },
        { CARD_TSAD0 + 8, 4, CARD_OUT + 2 * 2048 },
        { CARD_TSAD0 + 12, 4, CARD_OUT + 3 * 2048 },
        { CARD_RCR, 4, CARD_RECEIVES },
        { CARD_CR, 1, CARD_ENABLED },
        { CARD_TCR, 4, CARD_SENDING },
        { CARD_MAR0, 4, ~0u },
        { CARD_MAR0 + 4, 4, ~0u },
        { CARD_IMR, 2, CARD_INTERRUPTS },
    };
    for (unsigned i = 0; i < sizeof(writes) / sizeof(writes[0]) && !err; i++)
        err = card_write(c, writes[i].at, writes[i].width, writes[i].value);
    return err;
}

/* Find the card, the process's device `n`, and begin. Returns 0 or an error of the kernel's; -ENODEV: the device is
 * another one. */
static inline int64_t card_open(struct card *c, unsigned n)
{
    uint8_t *memory;
    int64_t found = amalgam_device_open_kind(n, CARD_RTL8139, CARD_MEMORY, &memory);
    if (found < 0)
        return found;
    unsigned device = (unsigned)found;
    *c = (struct card){ .device = device, .memory = memory };
    for (unsigned i = 0; i < sizeof(c->address); i++)
        c->address[i] = (uint8_t)card_read(c, CARD_IDR0 + i, 1);
    return card_begin(c);
}

/* Send a frame of at most CARD_FRAME bytes. Returns false if four are being sent already. */
static inline bool card_send(struct card *c, const void *frame, size_t n)
{
    unsigned i = c->next % CARD_SENDS;
    if (!(card_read(c, CARD_TSD0 + 4 * i, 4) & CARD_SENT))
        return false;
    uint8_t *to = c->memory + CARD_OUT + i * 2048;
    memcpy(to, frame, n);
    if (n < CARD_SHORT)
        memset(to + n, 0, CARD_SHORT - n);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    card_write(c, CARD_TSD0 + 4 * i, 4, (uint32_t)(n < CARD_SHORT ? CARD_SHORT : n));
    c->next++;
    return true;
}

/* The card writes a frame that reaches the ring's end on from its start. */
static inline void card_copy(const struct card *c, uint8_t *to, uint32_t at, size_t n)
{
    size_t first = at + n > CARD_RING ? CARD_RING - at : n;
    memcpy(to, c->memory + at, first);
    memcpy(to + first, c->memory, n - first);
}

/* Take a received frame. Returns its bytes, at most CARD_FRAME, or 0: there is none. If c->lost has changed, the ring
 * is of no use any more: call card_begin(). */
static inline size_t card_take(struct card *c, uint8_t frame[CARD_FRAME])
{
    if (card_read(c, CARD_CR, 1) & CARD_EMPTY)
        return 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint8_t head[CARD_HEAD];
    card_copy(c, head, c->at, CARD_HEAD);
    unsigned status = head[0] | head[1] << 8, length = head[2] | head[3] << 8;
    if (!(status & CARD_GOOD) || length < CARD_CHECK || length - CARD_CHECK > CARD_FRAME) {
        c->lost++; /* where the next frame is cannot be known */
        return 0;
    }
    card_copy(c, frame, (c->at + CARD_HEAD) % CARD_RING, length - CARD_CHECK);
    c->at = (c->at + CARD_HEAD + length + 3) % CARD_RING & ~3u;
    card_write(c, CARD_CAPR, 2, (c->at - 16) & 0xffff);
    return length - CARD_CHECK;
}

/* The same, for a card that only one thread uses: it begins anew by itself. */
static inline size_t card_receive(struct card *c, uint8_t frame[CARD_FRAME])
{
    unsigned before = c->lost;
    size_t n = card_take(c, frame);
    if (c->lost != before)
        card_begin(c);
    return n;
}

/* Wait for an interrupt and tell the card that it was seen. Returns 0 or an error of irq_wait(). Then frames may have
 * come or gone; call this again only after card_receive() has returned 0. */
static inline int64_t card_wait(struct card *c, uint64_t deadline)
{
    int64_t err = amalgam_irq_wait(c->device, deadline);
    if (err)
        return err;
    card_write(c, CARD_ISR, 2, (uint32_t)card_read(c, CARD_ISR, 2));
    return amalgam_irq_done(c->device);
}

#endif
