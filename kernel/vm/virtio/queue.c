/* SPDX-License-Identifier: MIT */
/*
 * queue.c - split virtqueues, seen by the device (virtio 1.2, 2.7).
 *
 * vq_peek() walks a chain once to check that it is well formed and to measure it; the copy walks it again. Another vCPU
 * may rewrite the descriptors in between. So the second walk makes the same checks and relies on none of the first's
 * results. It can only come out shorter, which marks the chain bad.
 */
#include <string.h>
#include "virtio.h"

enum { DESC_NEXT = 1, DESC_WRITE = 2, DESC_INDIRECT = 4 };
#define AVAIL_NO_INTERRUPT 1

bool vq_enable(struct virtq *q, struct virtio *device)
{
    const struct guest_memory *mem = device->mem;
    static const u8 align[3] = { 16, 2, 4 };
    for (int i = 0; i < 3; i++)
        if (!IS_ALIGNED(q->addr[i], (u64)align[i]))
            return false;
    q->desc = guest_ptr(mem, q->addr[0], sizeof(struct vring_desc) * q->num);
    q->avail = guest_ptr(mem, q->addr[1], sizeof(struct vring_avail) + 2u * q->num);
    q->used = guest_ptr(mem, q->addr[2], sizeof(struct vring_used) + sizeof(struct vring_used_elem) * q->num);
    q->device = device;
    q->next_avail = 0;
    q->next_used = 0;
    q->progress = 0;
    q->measured = false;
    return q->num && q->desc && q->avail && q->used;
}

void vq_rewind(struct virtq *q)
{
    q->table = q->desc;
    q->n = q->num;
    q->next = q->head;
    q->limit = MIN(q->num, q->device->type->chain);
    q->more = true;
    q->indirect = false;
    q->write = false;
    q->left = 0;
}

/* Continue in an indirect table, which must be the chain's last descriptor (2.7.5.3). */
static bool enter_indirect(struct virtq *q, const struct vring_desc *d)
{
    if (q->indirect || (d->flags & DESC_NEXT) || !d->len || d->len % sizeof(*d))
        return false;
    q->table = guest_ptr(q->device->mem, d->addr, d->len);
    q->n = d->len / sizeof(*d);
    q->next = 0;
    q->indirect = true;
    return q->table;
}

/* Load the next descriptor with bytes. Returns false at the end, or if the chain is bad. */
static bool queue_load(struct virtq *q)
{
    while (q->more) {
        struct vring_desc d;
        if (q->next >= q->n || !q->limit--)
            goto bad;
        *q->budget -= DESC_COST + RANGE_COST * q->device->mem->n;
        __builtin_memcpy(&d, &q->table[q->next],
                         sizeof(d)); /* copied once, as it may change at any time; it may be unaligned */
        barrier();
        if (d.flags & DESC_INDIRECT) {
            if (!enter_indirect(q, &d))
                goto bad;
            continue;
        }
        bool write = d.flags & DESC_WRITE;
        if (q->write && !write)
            goto bad; /* readable ones come first (2.7.4.2) */
        q->write = write;
        q->more = d.flags & DESC_NEXT;
        q->next = d.next;
        q->at = guest_ptr(q->device->mem, d.addr, d.len);
        q->left = d.len;
        if (!q->at)
            goto bad;
        if (d.len)
            return true;
    }
    return false;
bad:
    q->bad = true;
    q->more = false;
    q->left = 0;
    return false;
}

/* Tell the driver, unless the line is high already, and charge for the message. */
static void interrupt(struct virtq *q)
{
    if (q->device->interrupts & VIRTIO_INT_USED)
        return;
    *q->budget -= INTERRUPT_COST;
    virtio_interrupt(q->device, VIRTIO_INT_USED);
}

static void break_device(struct virtq *q)
{
    *q->budget -= INTERRUPT_COST;
    virtio_break(q->device);
}

/* Walk the chain at the head of the available ring. Returns false if it is malformed. */
static bool measure(struct virtq *q, u16 waiting)
{
    q->head = READ_ONCE(q->avail->ring[q->next_avail & (q->num - 1)]);
    q->bytes[VQ_READ] = q->bytes[VQ_WRITE] = 0;
    q->bad = false;
    vq_rewind(q);
    while (queue_load(q)) {
        q->bytes[q->write] += q->left;
        q->last = q->at + q->left - 1;
    }
    return !q->bad && waiting <= q->num;
}

bool vq_peek(struct virtq *q, s32 *budget)
{
    if (!q->ready || *budget <= 0 || !virtio_running(q->device))
        return false;
    u16 waiting = __atomic_load_n(&q->avail->idx, __ATOMIC_ACQUIRE) - q->next_avail;
    if (!waiting)
        return false;
    if (!q->measured && *budget < VIRTIO_BUDGET / 2) {
        *budget = 0;
        return false;
    }
    s32 before = *budget, needed = 0;
    q->budget = budget;
    *budget -= CHAIN_COST;
    if (!q->measured) {
        q->measured = measure(q, waiting);
        if (!q->measured) {
            break_device(q);
            return false;
        }
        needed = q->device->type->chain > CHAIN_SHORT ? before - *budget : 0;
    }
    q->bad = false;
    vq_rewind(q);
    if (*budget >= needed)
        return true;
    *budget = 0;
    return false;
}

void *vq_segment(struct virtq *q, enum vq_stream stream, u32 *n)
{
    while (!q->left || q->write != stream) {
        if (q->left && q->write)
            return NULL; /* the readable bytes are over; the writable ones stay for later */
        if (!queue_load(q))
            return NULL;
    }
    *n = MIN(*n, q->left);
    void *at = q->at;
    q->at += *n;
    q->left -= *n;
    return at;
}

u64 vq_move(struct virtq *q, void *buf, u64 n, enum vq_stream stream)
{
    u64 done = 0;
    while (done < n) {
        u32 part =
            MIN(n - done,
                (u64)(u32)-1); /* one step for each descriptor: skipped bytes cost nothing but their descriptors */
        void *at = vq_segment(q, stream, &part);
        if (!at)
            break;
        if (buf) {
            *q->budget -= part;
            if (stream == VQ_WRITE)
                memcpy(at, buf, part);
            else
                memcpy(buf, at, part);
            buf = (u8 *)buf + part;
        }
        done += part;
    }
    return done;
}

void vq_complete(struct virtq *q, u32 written)
{
    if (q->bad) {
        break_device(q);
        return;
    }
    struct vring_used_elem *e = &q->used->ring[q->next_used & (q->num - 1)];
    WRITE_ONCE(e->id, q->head);
    WRITE_ONCE(e->len, written);
    q->next_avail++;
    q->next_used++;
    q->progress = 0;
    q->measured = false;
    __atomic_store_n(&q->used->idx, q->next_used, __ATOMIC_RELEASE);
    mp_fence(); /* the driver sets the flag, then reads idx; we do it in the other order (2.7.7.2) */
    if (!(READ_ONCE(q->avail->flags) & AVAIL_NO_INTERRUPT))
        interrupt(q);
}
