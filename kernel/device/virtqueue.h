/* SPDX-License-Identifier: MIT */
/*
 * virtqueue.h - a split virtqueue (Virtual I/O Device 1.1, 2.6) that is the kernel's: a driver gives it requests by
 * dma_submit(), and gets them back by dma_done() (dma.c). Who calls these functions has the device's lock.
 *
 * The device reads and writes the first part, the ring, as it likes. The kernel reads back only `used`, and what it
 * needs to believe that, is in the second part, of which the device is not told.
 *
 * firmware/manycore/virtqueue.c is its twin, for the reason that its header gives: who mends one looks at the other.
 */
#ifndef AMALGAM_DEVICE_VIRTQUEUE_H
#define AMALGAM_DEVICE_VIRTQUEUE_H

#include <types.h>

#define VIRTQUEUE_PIECES 64u /* of memory, in all requests of a queue; a power of two */
#define VIRTQUEUES       2u  /* of a device, at most */

struct virtqueue {
    struct virtqueue_piece {
        u64 at;
        u32 n;
        u16 flags, next;
    } piece[VIRTQUEUE_PIECES];
    struct {
        u16 flags, index, first[VIRTQUEUE_PIECES], unused;
    } offered;
    struct {
        u16 flags, index;
        struct {
            u32 first, written;
        } done[VIRTQUEUE_PIECES];
    } used __attribute__((aligned(4)));

    /* The kernel's own. A request is known by the number of its first piece. */
    u16 made, seen;             /* requests that were offered; that came back */
    u8 free;                    /* the first free piece, or VIRTQUEUE_PIECES */
    u8 first, last;             /* of the request that is being made; VIRTQUEUE_PIECES: none is */
    u8 next[VIRTQUEUE_PIECES];  /* the piece behind a free one */
    u8 end[VIRTQUEUE_PIECES];   /* a request's last piece */
    bool out[VIRTQUEUE_PIECES]; /* the request is the device's */
    u32 room[VIRTQUEUE_PIECES]; /* bytes of a request that the device may write; 0: it has only read so far */
};
_Static_assert(sizeof(struct virtqueue) <= PAGE_SIZE, "each has a page");

struct device;
/* Return queue `i` of a virtio device, in the page `i` behind its pinned memory. */
struct virtqueue *virtqueue_of(const struct device *d, u32 i);
/* All pieces are free. The queue's page is clear. */
void virtqueue_begin(struct virtqueue *q);
/* Add pinned memory to the request that is being made, or make one. Returns the request's number; -EINVAL: that is not
 * pinned memory, or too short, or in a direction that may not follow; -EAGAIN: no piece is free. */
s64 virtqueue_add(const struct device *d, struct virtqueue *q, bool writes, u32 offset, u32 n);
/* Give up the request that is being made, if one is. */
void virtqueue_drop(struct virtqueue *q);
/* Let the device have the request that is being made. Returns whether it wants to be told so, by virtio_notify(). */
bool virtqueue_offer(struct virtqueue *q);
/* Take what the device says next. Returns the request's number, times 2^32, and the bytes that it wrote; -EAGAIN:
 * nothing; -EIO: of what it does not have. */
s64 virtqueue_take(struct virtqueue *q);

struct hal_device;
/* virtio.c: tell the device that there is something in its queue `queue`. */
void virtio_notify(const struct hal_device *d, u32 queue);

#endif
