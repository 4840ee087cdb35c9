/* SPDX-License-Identifier: MIT */
/*
 * tunnel.h - the ping-pong protocol of our examples, over a tunnel's shared memory.
 *
 * There are two one-way boxes. The writer fills data, length and sum, then publishes them by incrementing seq. The
 * reader copies everything before it checks the sum, because the peer is another guest and may change the box at any
 * time. Box 0 goes from ping to pong, box 1 back; pong answers with every byte inverted.
 */
#ifndef TUNNEL_H
#define TUNNEL_H

#include <stdint.h>

#define TUNNEL_BOX_DATA 2032

struct tunnel_box {
    uint32_t seq;
    uint32_t length; /* at most TUNNEL_BOX_DATA */
    uint32_t sum;
    uint32_t reserved;
    uint8_t data[TUNNEL_BOX_DATA];
};
_Static_assert(sizeof(struct tunnel_box) == 2048, "two to a page");

static inline uint32_t tunnel_sum(const uint8_t *data, uint32_t length)
{
    uint32_t sum = 2166136261u; /* FNV-1a */
    for (uint32_t i = 0; i < length; i++)
        sum = (sum ^ data[i]) * 16777619u;
    return sum;
}

static inline uint32_t tunnel_seq(const struct tunnel_box *box) { return __atomic_load_n(&box->seq, __ATOMIC_ACQUIRE); }

static inline void tunnel_put(struct tunnel_box *box, const uint8_t *data, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        box->data[i] = data[i];
    box->length = length;
    box->sum = tunnel_sum(data, length);
    __atomic_store_n(&box->seq, box->seq + 1, __ATOMIC_RELEASE);
}

/* Copy the box into `data` (TUNNEL_BOX_DATA bytes). Returns the length, or -1 if length or sum are wrong. */
static inline int tunnel_take(const struct tunnel_box *box, uint8_t *data)
{
    uint32_t length = __atomic_load_n(&box->length, __ATOMIC_RELAXED),
             sum = __atomic_load_n(&box->sum, __ATOMIC_RELAXED);
    if (length > TUNNEL_BOX_DATA)
        return -1;
    for (uint32_t i = 0; i < length; i++)
        data[i] = __atomic_load_n(&box->data[i], __ATOMIC_RELAXED);
    return tunnel_sum(data, length) == sum ? (int)length : -1;
}

#endif
