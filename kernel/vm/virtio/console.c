/* SPDX-License-Identifier: MIT */
/*
 * console.c - virtio console, one port (virtio 1.2, 5.3).
 *
 * Output goes to the console straight from the guest's buffers.  Input is kept in a
 * small ring until the driver supplies a buffer; bytes that do not fit are lost, as
 * on a serial line.
 */
#include <core/console.h>
#include <errors.h>
#include "virtio.h"

enum { RX, TX };
#define RING     256 /* a power of two */
#define TX_BYTES 256 /* an exit; the console is slow: a serial line behind it takes about 90 us a byte */

struct virtio_console {
    struct virtio v;
    u16 head, tail; /* free running */
    u8 ring[RING];
};

_Static_assert(sizeof(struct virtio_console) <= PAGE_SIZE, "one page a device");

/* Hand input to the driver. True when the budget ended first: it supplies buffers that hold nothing. */
static bool receive(struct virtio_console *c)
{
    struct vq_chain chain;
    s32 budget = VIRTIO_BUDGET;
    while (c->head != c->tail && vq_get(&c->v, &c->v.queue[RX], &chain, &budget)) {
        u32 n = 0;
        while (c->head != c->tail && vq_write(&chain, &c->ring[c->tail % RING], 1)) {
            c->tail++;
            n++;
        }
        vq_put(&c->v, &c->v.queue[RX], &chain, n);
        if (budget <= 0)
            return true;
    }
    return false;
}

/* Write out what is left of the chain, up to *room bytes. True when all of it is out. */
static bool drain(struct virtio_console *c, struct virtq *q, struct vq_chain *chain, u32 *room)
{
    if (vq_read(chain, NULL, q->progress) != q->progress)
        return true; /* the driver shortened it meanwhile */
    while (*room) {
        u32 n = *room;
        void *text = vq_segment(chain, false, &n);
        if (!text)
            return true;
        vm_console_write(c->v.dev.vm, text, n);
        *room -= n;
        q->progress += n;
    }
    return false;
}

static bool transmit(struct virtio_console *c)
{
    struct virtq *q = &c->v.queue[TX];
    struct vq_chain chain;
    s32 budget = VIRTIO_BUDGET;
    u32 room = TX_BYTES; /* not the chain's budget: a walk that uses that up must not keep the text from moving on */
    while (budget > 0 && room) {
        if (!vq_get(&c->v, q, &chain, &budget))
            return false;
        if (console_busy())
            return true;
        if (drain(c, q, &chain, &room))
            vq_put(&c->v, q, &chain, 0);
    }
    return true;
}

static bool notify(struct virtio *v, unsigned q)
{
    struct virtio_console *c = container_of(v, struct virtio_console, v);
    return q == TX ? transmit(c) : receive(c);
}

/* What was typed for the one life is not for the next. */
static void forget_input(struct virtio *v)
{
    struct virtio_console *c = container_of(v, struct virtio_console, v);
    c->tail = c->head;
}

static const struct virtio_type console_type = {
    .id = VIRTIO_ID_CONSOLE,
    .n_queues = 2,
    .features = VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT_DESC,
    .notify = notify,
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
    receive(c);
    spin_unlock_irqrestore(&c->v.dev.lock, flags);
    return running;
}

__init_text int virtio_console_create(struct vm *vm, const struct sys_device *conf)
{
    struct virtio_console *c = vm_device_alloc(vm);
    if (!c)
        return -ENOMEM;
    int err = virtio_init(&c->v, vm, conf, &console_type, NULL, 0);
    if (!err)
        vm_devs(vm)->console = c;
    return err;
}
