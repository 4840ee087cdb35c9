/* SPDX-License-Identifier: MIT */
/*
 * queue.c - split virtqueues as the device sees them (virtio 1.2, 2.7).
 *
 * vq_get() walks a chain once to know that it is well formed and how long it is;
 * the copy walks it again.  Another vCPU may rewrite the descriptors in between, so
 * the second walk checks just as much and trusts none of the first's results: it
 * can only come out shorter, which marks the chain bad.
 */
#include <string.h>
#include "virtio.h"

enum { DESC_NEXT = 1, DESC_WRITE = 2, DESC_INDIRECT = 4 };
#define AVAIL_NO_INTERRUPT 1

bool vq_enable(struct virtq *q, const struct guest_memory *mem)
{
    static const u8 align[3] = { 16, 2, 4 };
    for (int i = 0; i < 3; i++)
        if (!IS_ALIGNED(q->addr[i], (u64)align[i]))
            return false;
    q->desc = guest_ptr(mem, q->addr[0], sizeof(struct vring_desc) * q->num);
    q->avail = guest_ptr(mem, q->addr[1], sizeof(struct vring_avail) + 2u * q->num);
    q->used = guest_ptr(mem, q->addr[2], sizeof(struct vring_used) + sizeof(struct vring_used_elem) * q->num);
    q->next_avail = 0;
    q->next_used = 0;
    q->progress = 0;
    return q->num && q->desc && q->avail && q->used;
}

void vq_rewind(struct vq_chain *c)
{
    c->table = c->q->desc;
    c->n = c->q->num;
    c->next = c->head;
    c->limit = c->q->num;
    c->more = true;
    c->indirect = false;
    c->write = false;
    c->left = 0;
}

/* An indirect table takes the place of the one that it was found in (2.7.5.3): it ends the chain there. */
static bool enter_indirect(struct vq_chain *c, const struct vring_desc *d)
{
    if (c->indirect || (d->flags & DESC_NEXT) || !d->len || d->len % sizeof(*d))
        return false;
    c->table = guest_ptr(c->mem, d->addr, d->len);
    c->n = d->len / sizeof(*d);
    c->next = 0;
    c->indirect = true;
    return c->table;
}

/* Step to the next descriptor that holds bytes; false at the end or when the chain is bad. */
static bool load(struct vq_chain *c)
{
    while (c->more) {
        struct vring_desc d;
        if (c->next >= c->n || !c->limit--)
            goto bad;
        *c->budget -= DESC_COST;
        memcpy(&d, &c->table[c->next], sizeof(d)); /* once: it may change under us; need not be aligned */
        barrier();
        if (d.flags & DESC_INDIRECT) {
            if (!enter_indirect(c, &d))
                goto bad;
            continue;
        }
        bool write = d.flags & DESC_WRITE;
        if (c->write && !write)
            goto bad; /* readable ones come first (2.7.4.2) */
        c->write = write;
        c->more = d.flags & DESC_NEXT;
        c->next = d.next;
        c->at = guest_ptr(c->mem, d.addr, d.len);
        c->left = d.len;
        if (!c->at)
            goto bad;
        if (d.len)
            return true;
    }
    return false;
bad:
    c->bad = true;
    c->more = false;
    c->left = 0;
    return false;
}

bool vq_get(struct virtio *v, struct virtq *q, struct vq_chain *c, s32 *budget)
{
    if (!q->ready || !virtio_running(v))
        return false;
    u16 waiting = __atomic_load_n(&q->avail->idx, __ATOMIC_ACQUIRE) - q->next_avail;
    if (!waiting)
        return false;
    *c = (struct vq_chain){
        .mem = v->mem, .q = q, .budget = budget, .head = READ_ONCE(q->avail->ring[q->next_avail & (q->num - 1)])
    };
    vq_rewind(c);
    while (load(c))
        *(c->write ? &c->writable : &c->readable) += c->left;
    if (c->bad || waiting > q->num) {
        virtio_break(v);
        return false;
    }
    vq_rewind(c);
    return true;
}

void *vq_segment(struct vq_chain *c, bool write, u32 *n)
{
    while (!c->left || c->write != write) {
        if (c->left && c->write)
            return NULL; /* the readable stream is over; the writable one stays where it is */
        if (!load(c))
            return NULL;
    }
    *n = MIN(*n, c->left);
    void *at = c->at;
    c->at += *n;
    c->left -= *n;
    return at;
}

static u64 move(struct vq_chain *c, bool write, u8 *buf, u64 n)
{
    u64 done = 0;
    while (done < n) {
        u32 part = MIN(n - done, (u64)(u32)-1); /* a step a descriptor: skipping is paid by descriptors alone */
        void *at = vq_segment(c, write, &part);
        if (!at)
            break;
        if (buf)
            *c->budget -= part;
        if (buf && write)
            memcpy(at, buf + done, part);
        else if (buf)
            memcpy(buf + done, at, part);
        done += part;
    }
    return done;
}

u64 vq_read(struct vq_chain *c, void *dst, u64 n) { return move(c, false, dst, n); }

u64 vq_write(struct vq_chain *c, const void *src, u64 n) { return move(c, true, (u8 *)src, n); }

void vq_put(struct virtio *v, struct virtq *q, struct vq_chain *c, u32 written)
{
    if (c->bad) {
        virtio_break(v);
        return;
    }
    struct vring_used_elem *e = &q->used->ring[q->next_used & (q->num - 1)];
    WRITE_ONCE(e->id, c->head);
    WRITE_ONCE(e->len, written);
    q->next_avail++;
    q->next_used++;
    q->progress = 0;
    __atomic_store_n(&q->used->idx, q->next_used, __ATOMIC_RELEASE);
    mp_fence(); /* the driver sets the flag, then looks at idx; we the other way round (2.7.7.2) */
    if (!(READ_ONCE(q->avail->flags) & AVAIL_NO_INTERRUPT))
        virtio_interrupt(v, VIRTIO_INT_USED);
}
