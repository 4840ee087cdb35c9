/* SPDX-License-Identifier: MIT */
/*
 * virtqueue.c - writes and reads the queues of virtio devices; see virtqueue.h.
 *
 * Descriptors are written here only, in a page that no driver sees. So a device is told of pinned memory only, whenever
 * it looks. What it says of requests that it is done with is checked against what was offered. Everything takes the
 * same time, however long a request is.
 */
#include <errors.h>
#include <hal/memory.h>

#include "device.h"
#include "virtqueue.h"

#define NONE VIRTQUEUE_PIECES

/* Of a piece and of the used ring. */
#define PIECE_NEXT   1u
#define PIECE_WRITES 2u
#define NO_NOTIFY    1u

struct virtqueue *virtqueue_of(const struct device *d, u32 i)
{
    return phys_to_virt(d->state.memory + d->class->memory + i * PAGE_SIZE);
}

void virtqueue_begin(struct virtqueue *q)
{
    for (unsigned i = 0; i < VIRTQUEUE_PIECES; i++)
        q->next[i] = (u8)(i + 1);
    q->first = NONE;
}

void virtqueue_drop(struct virtqueue *q)
{
    if (q->first == NONE)
        return;
    q->next[q->last] = q->free;
    q->free = q->first;
    q->first = NONE;
}

/* The device may look at the index at any moment, so what it says is written before. */
bool virtqueue_offer(struct virtqueue *q)
{
    u8 first = q->first;
    q->end[first] = q->last;
    q->out[first] = true;
    q->offered.first[q->made % VIRTQUEUE_PIECES] = first;
    __atomic_store_n(&q->offered.index, ++q->made, __ATOMIC_RELEASE);
    q->first = NONE;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* our index before its flags: one of us sees the other's (1.1, 2.6.7) */
    return !(READ_ONCE(q->used.flags) & NO_NOTIFY);
}

s64 virtqueue_add(const struct device *d, struct virtqueue *q, bool writes, u32 offset, u32 n)
{
    bool begun = q->first != NONE, wrote = begun && q->room[q->first];
    if (unlikely(n < (begun ? 1 : d->class->head) || offset > d->class->memory || n > d->class->memory - offset))
        return -EINVAL;
    if (unlikely(begun && writes != wrote && (wrote || d->class->one_way)))
        return -EINVAL;
    u8 i = q->free;
    if (unlikely(i == NONE))
        return -EAGAIN;
    q->free = q->next[i];
    q->piece[i] =
        (struct virtqueue_piece){ .at = d->state.memory + offset, .n = n, .flags = writes ? PIECE_WRITES : 0 };
    if (begun) {
        q->piece[q->last].flags = PIECE_NEXT | (wrote ? PIECE_WRITES : 0);
        q->piece[q->last].next = i;
        q->next[q->last] = i;
    } else {
        q->first = i;
        q->room[i] = 0;
    }
    q->last = i;
    q->room[q->first] += writes ? n : 0;
    return q->first;
}

s64 virtqueue_take(struct virtqueue *q)
{
    if (__atomic_load_n(&q->used.index, __ATOMIC_ACQUIRE) == q->seen)
        return -EAGAIN;
    u32 slot = q->seen++ % VIRTQUEUE_PIECES;
    u32 first = READ_ONCE(q->used.done[slot].first), written = READ_ONCE(q->used.done[slot].written);
    if (unlikely(first >= VIRTQUEUE_PIECES || !q->out[first]))
        return -EIO;
    q->out[first] = false;
    q->next[q->end[first]] = q->free;
    q->free = (u8)first;
    return (s64)((u64)first << 32 | MIN(written, q->room[first]));
}
