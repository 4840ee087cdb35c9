/* SPDX-License-Identifier: MIT */
/*
 * box.h - the layout of a box in the tunnel, and the copying of messages.
 *
 * All words are big-endian, because both ends are PPC405s. The host's tests use the host's byte order.
 */
#ifndef APEX_BOX_H
#define APEX_BOX_H

#include "apex.h"

struct slot {          /* one message; then its bytes, in whole words */
    uint32_t sequence; /* the message's number, written last */
    uint32_t length;
    uint32_t sum;     /* over sequence, length and bytes */
    uint32_t lost;    /* queuing: how many messages were lost by overflow before this one */
    uint32_t time[2]; /* sampling: when it was written, ns */
};

struct box {
    uint32_t written; /* messages so far, written by the source */
    uint32_t taken;   /* queuing only: messages so far, written by the destination */
};

static inline uint32_t words_of(uint32_t bytes) { return (bytes + 3) / 4; }
static inline uint32_t slot_bytes(uint32_t max_message_size)
{
    return sizeof(struct slot) + 4 * words_of(max_message_size);
}

static inline volatile struct slot *slot_at(volatile struct box *box, uint32_t max_message_size, uint32_t index)
{
    return (volatile struct slot *)((volatile uint8_t *)(box + 1) + index * slot_bytes(max_message_size));
}

/* Write message number `sequence`. */
void slot_put(volatile struct slot *slot, uint32_t sequence, uint32_t lost, uint64_t time, const uint8_t *message,
              uint32_t length);
/* Copy message number `sequence` out. Returns whether it is there, complete, and not longer than `room`; then also its
 * length, lost count and time. */
bool slot_take(const volatile struct slot *slot, uint32_t sequence, uint8_t *message, uint32_t room, uint32_t *length,
               uint32_t *lost, uint64_t *time);

#endif
