/* SPDX-License-Identifier: MIT */
/*
 * virtqueue.h - a split virtqueue (Virtual I/O Device 1.1, 2.6) in memory of the firmware. A kernel names pieces of its
 * slice by calls, which device.c checks; it sees no ring. The caller of these functions holds the lock of devices.
 *
 * The device reads and writes the first part as it likes, and is not believed: of that part only `used` is read, and
 * what it says is checked by the second part, of whose place the device is not told.
 *
 * kernel/device/virtqueue.c is its twin: who mends one looks at the other. They share no text, because only
 * virtqueue_begin(), _drop() and _offer() could without macros for what differs: the check of a piece, which here is
 * device.c's, the error numbers, and how many bits a result has. And the firmware, which all clusters trust, includes
 * nothing of a kernel.
 */
#ifndef FIRMWARE_VIRTQUEUE_H
#define FIRMWARE_VIRTQUEUE_H

#include <stdbool.h>

#include "table.h"

#define QUEUE_PIECES 64u      /* of memory, in all requests of a queue; a power of two */
#define PIECE_MOST   0x40000u /* bytes of a piece; so what a request writes has DONE_SHIFT bits */
#define DONE_SHIFT   25       /* in what virtqueue_take() returns: the request's number is above (docs/boards.md) */

/* What a kind of device needs of a request. */
struct virtqueue_rule {
    u8 head;      /* its first piece has as many bytes at least */
    bool one_way; /* the device reads all of it or writes all of it; else it may read first and then write */
};

struct virtqueue {
    struct piece {
        u64 at;
        u32 n;
        u16 flags, next;
    } piece[QUEUE_PIECES];
    struct {
        u16 flags, index, first[QUEUE_PIECES], unused;
    } offered;
    struct {
        u16 flags, index;
        struct {
            u32 first, written;
        } done[QUEUE_PIECES];
    } used __attribute__((aligned(4)));

    /* The firmware's own. A request is known by the number of its first piece. */
    u16 made, seen;         /* requests that were offered; that came back */
    u8 free;                /* the first free piece, or QUEUE_PIECES */
    u8 first, last;         /* of the request that is being made; QUEUE_PIECES: none is */
    u8 next[QUEUE_PIECES];  /* the piece behind a free one */
    u8 end[QUEUE_PIECES];   /* a request's last piece */
    bool out[QUEUE_PIECES]; /* the request is the device's */
    u32 room[QUEUE_PIECES]; /* bytes of a request that the device may write; 0: it has only read so far */
};
_Static_assert(sizeof(struct virtqueue) <= FW_RING, "each has its room");
_Static_assert(QUEUE_PIECES *PIECE_MOST < 1u << DONE_SHIFT && QUEUE_PIECES << DONE_SHIFT <= 1u << 31,
               "what is written fits below a request's number, and both into a positive word");

/* All pieces are free. The queue's memory is clear. */
void virtqueue_begin(struct virtqueue *q);
/* Add a piece of the caller's slice to the request that is being made, or make one. Returns the request's number or an
 * error of SBI: INVALID_ADDRESS: too short, too long, or in a direction that may not follow; FAILED: none is free. */
long virtqueue_add(struct virtqueue *q, const struct virtqueue_rule *rule, bool writes, ulong at, ulong n);
/* Give up the request that is being made, if one is. */
void virtqueue_drop(struct virtqueue *q);
/* Let the device have the request that is being made. Returns whether it wants to be told so. */
bool virtqueue_offer(struct virtqueue *q);
/* Take what the device says next. Returns the request's number, shifted by DONE_SHIFT, and the bytes that it wrote; an
 * error of SBI: FAILED: nothing; IO: of what the device does not have. */
long virtqueue_take(struct virtqueue *q);

#endif
