/* SPDX-License-Identifier: MIT */
/*
 * console.c - virtio console with one port (virtio 1.2, 5.3).
 *
 * Output goes from the guest's buffers to the console. Input waits in a small ring until a vCPU runs, so that the
 * guest's own time pays for the walk of its queue, and until the driver supplies a buffer. Bytes that do not fit are
 * lost, as on a serial line.
 */
#include <core/console.h>
#include "virtio.h"

enum { RX, TX };
#define RING     256 /* a power of two */
#define TX_BYTES 64  /* most bytes that the console takes at once, with interrupts off */

struct virtio_console {
    struct virtio v;
    u16 head, tail; /* free running */
    u8 ring[RING];
};

_Static_assert(sizeof(struct virtio_console) <= PAGE_SIZE, "one page a device");

/* Copy input into the driver's buffers, as long as there are any. */
static void receive(struct virtio_console *c)
{
    struct virtq *q = &c->v.queue[RX];
    while (c->head != c->tail && vq_peek(q, &c->v.budget)) {
        u32 at = c->tail % RING; /* text beyond the ring's end goes to the next buffer */
        u32 n = (u32)vq_write(q, &c->ring[at], MIN((u32)(u16)(c->head - c->tail), RING - at));
        c->tail += (u16)n;
        vq_complete(q, n);
    }
}

/* Offer the chain's next piece to the console. Returns whether there was one. */
static bool offer(struct virtio *v, struct virtq *q)
{
    u32 n = TX_BYTES;
    void *text = NULL;
    if (vq_read(q, NULL, q->progress) == q->progress) /* else the driver has shortened the chain meanwhile */
        text = vq_segment(q, VQ_READ, &n);
    if (text)
        q->progress += vm_console_offer(v->dev.vm, text, n);
    return text;
}

/* One piece an exit; the notification is repeated for the rest, and for what the console did not take. */
static void transmit(struct virtio *v, struct virtq *q)
{
    bool offered = false;
    while (vq_peek(q, &v->budget)) {
        bool another = offered;
        if (!another)
            offered = offer(v, q);
        if (another || (offered && q->progress < q->bytes[VQ_READ]))
            v->budget = 0;
        else
            vq_complete(q, 0);
    }
}

static void virtio_console_notify(struct virtio *v, struct virtq *q)
{
    if (q == &v->queue[TX])
        transmit(v, q);
    else
        receive(container_of(v, struct virtio_console, v));
}

/* Drop input that was typed before the reset. */
static void forget_input(struct virtio *v)
{
    struct virtio_console *c = container_of(v, struct virtio_console, v);
    c->tail = c->head;
}

static const struct virtio_type console_type = {
    .id = VIRTIO_ID_CONSOLE,
    .n_queues = 2,
    .chain = CHAIN_SHORT,
    .features = VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT_DESC,
    .notify = virtio_console_notify,
    .reset = forget_input,
};

bool virtio_console_input(struct vm *vm, u8 byte)
{
    struct virtio_console *c = vm_devs(vm)->console;
    if (!c)
        return false;
    unsigned long flags = spin_lock_irqsave(&c->v.dev.lock);
    bool running = virtio_running(&c->v);
    if (running && (u16)(c->head - c->tail) < RING)
        c->ring[c->head++ % RING] = byte;
    spin_unlock_irqrestore(&c->v.dev.lock, flags);
    if (running)
        vm_request_input(vm);
    return running;
}

bool virtio_console_resume(struct vm *vm)
{
    struct virtio_console *c = vm_devs(vm)->console;
    if (!spin_try(&c->v.dev.lock))
        return false;
    c->v.budget = VIRTIO_BUDGET;
    receive(c);
    bool done = c->v.budget > 0;
    spin_unlock(&c->v.dev.lock);
    return done;
}

__init_text int virtio_console_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys)
{
    v->type = &console_type;
    vm_devs(v->dev.vm)->console = container_of(v, struct virtio_console, v);
    return 0;
}
