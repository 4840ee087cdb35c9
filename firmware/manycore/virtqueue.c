/* SPDX-License-Identifier: MIT */
/*
 * virtqueue.c - writes and reads the queues of virtio devices; see virtqueue.h. Each function takes the same time,
 * however long a request is and whatever the device says.
 */
#include "virtqueue.h"

#include "sbi.h"

#define NONE QUEUE_PIECES

/* Of a piece and of the used ring. */
enum { PIECE_NEXT = 1, PIECE_WRITES = 2, NO_NOTIFY = 1 };

void virtqueue_begin(struct virtqueue *q)
{
    for (unsigned i = 0; i < QUEUE_PIECES; i++)
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

/* The device may look at the index at any moment, so the request is written before it. Then the index is written before
 * the flags are read: firmware or device sees what the other one has written (1.1, 2.6.7). */
bool virtqueue_offer(struct virtqueue *q)
{
    u8 first = q->first;
    q->end[first] = q->last;
    q->out[first] = true;
    q->offered.first[q->made % QUEUE_PIECES] = first;
    __atomic_store_n(&q->offered.index, ++q->made, __ATOMIC_RELEASE);
    q->first = NONE;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return !(__atomic_load_n(&q->used.flags, __ATOMIC_RELAXED) & NO_NOTIFY);
}

long virtqueue_add(struct virtqueue *q, const struct virtqueue_rule *rule, bool writes, ulong at, ulong n)
{
    bool begun = q->first != NONE, wrote = begun && q->room[q->first];
    if (n < (begun ? 1 : rule->head) || n > PIECE_MOST || (begun && writes != wrote && (wrote || rule->one_way)))
        return SBI_ERR_INVALID_ADDRESS;
    u8 i = q->free;
    if (i == NONE)
        return SBI_ERR_FAILED;
    q->free = q->next[i];
    q->piece[i] = (struct piece){ .at = at, .n = (u32)n, .flags = writes ? PIECE_WRITES : 0 };
    if (begun) {
        q->piece[q->last].flags = PIECE_NEXT | (wrote ? PIECE_WRITES : 0);
        q->piece[q->last].next = i;
        q->next[q->last] = i;
    } else {
        q->first = i;
        q->room[i] = 0;
    }
    q->last = i;
    q->room[q->first] += writes ? (u32)n : 0;
    return q->first;
}

long virtqueue_take(struct virtqueue *q)
{
    if (__atomic_load_n(&q->used.index, __ATOMIC_ACQUIRE) == q->seen)
        return SBI_ERR_FAILED;
    u32 slot = q->seen++ % QUEUE_PIECES;
    u32 first = __atomic_load_n(&q->used.done[slot].first, __ATOMIC_RELAXED);
    u32 written = __atomic_load_n(&q->used.done[slot].written, __ATOMIC_RELAXED);
    if (first >= QUEUE_PIECES || !q->out[first])
        return SBI_ERR_IO;
    q->out[first] = false;
    q->next[q->end[first]] = q->free;
    q->free = (u8)first;
    return (long)((ulong)first << DONE_SHIFT | (written < q->room[first] ? written : q->room[first]));
}
