/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/dma.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/dma.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_DMA_TABLE_H
#define AMALGAM_DMA_TABLE_H

#define AMALGAM_DMAS_VERSION 1

enum amalgam_dma {
    AMALGAM_DMA_SUBMIT = 0x444d4100,
    AMALGAM_DMA_DONE = 0x444d4101,
    AMALGAM_DMAS_END
};


/*
 * Give a queue of a virtio device a piece of pinned memory. A request is one piece or several, of which the first
 * ones are read by the device and the last ones written; with the last piece the device is told. An error drops the
 * request that is being made. A queue has 64 pieces, which are free again when their request is done. handle: the
 * process's handle of the device. how: the queue's number, and 4: the device writes the piece, 8: the request has
 * more pieces. offset: where the piece is in the pinned memory. n: its bytes. Returns the request's number, below
 * 64; -EBADF: the process has no device by that handle; -EACCES: the device has no such queue; -EINVAL: the piece is
 * not in the pinned memory or has no bytes (the first one: fewer than a request's head, 12 for a card, 16 for a
 * disk), or the device would read behind what it writes, or a card, whose requests have one direction, write behind
 * what it reads; -EAGAIN: the queue has no piece free.
 */
static inline int64_t amalgam_dma_submit(unsigned handle, unsigned how, uint32_t offset, uint32_t n)
{
    return amalgam_call(AMALGAM_DMA_SUBMIT, (uintptr_t)handle, (uintptr_t)how, (uintptr_t)offset, (uintptr_t)n);
}

/*
 * Take back the next request that a virtio device is done with. Does not wait. handle: the process's handle of the
 * device. queue: the queue's number. Returns the request's number, times 2^32, and the bytes that the device says it
 * wrote, of its pieces at most; -EBADF: the process has no device by that handle; -EACCES: the device has no such
 * queue; -EAGAIN: there is none; -EIO: the device is done with a request that it does not have.
 */
static inline int64_t amalgam_dma_done(unsigned handle, unsigned queue)
{
    return amalgam_call(AMALGAM_DMA_DONE, (uintptr_t)handle, (uintptr_t)queue, 0, 0);
}

#endif
