/* SPDX-License-Identifier: MIT */
/*
 * mmio.c - the registers of virtio over MMIO, version 2 (virtio 1.2, 4.2.2).
 *
 * Registers below 100h are 32 bits wide; other accesses there read as zero and write nothing. A set of features is
 * refused if it has no VERSION_1 or a bit that was not offered. A queue can be configured only while it is not ready,
 * and becomes ready only if all of it is in RAM.
 */
#include <errors.h>
#include <string.h>
#include <vm/places.h>
#include "virtio.h"

#define VENDOR 0x474c4d41 /* "AMLG" */

enum {
    MAGIC = 0x00,
    VERSION = 0x04,
    DEVICE_ID = 0x08,
    VENDOR_ID = 0x0c,
    DEVICE_FEATURES = 0x10,
    DEVICE_SELECT = 0x14,
    DRIVER_FEATURES = 0x20,
    DRIVER_SELECT = 0x24,
    QUEUE_SELECT = 0x30,
    QUEUE_NUM_MAX = 0x34,
    QUEUE_NUM = 0x38,
    QUEUE_READY = 0x44,
    QUEUE_NOTIFY = 0x50,
    INTERRUPT_STATUS = 0x60,
    INTERRUPT_ACK = 0x64,
    STATUS = 0x70,
    QUEUE_ADDRESS = 0x80,
    QUEUE_ADDRESS_END = 0xa8,
    SHM_LENGTH = 0xb0,
    SHM_END = 0xc0,
    CONFIG = 0x100,
};

__noinline void virtio_interrupt(struct virtio *v, u8 why)
{
    if (v->interrupts & why)
        return; /* the line is high already */
    v->interrupts |= why;
    vm_irq_line(v->dev.vm, v->dev.gsi, true);
}

void virtio_break(struct virtio *v)
{
    bool tell = virtio_running(v);
    v->status |= VIRTIO_NEEDS_RESET;
    if (tell)
        virtio_interrupt(v, VIRTIO_INT_CONFIG);
}

static void reset(struct virtio *v)
{
    v->features = 0;
    v->device_select = v->driver_select = v->queue_select = 0;
    v->status = v->interrupts = 0;
    memset(v->queue, 0, sizeof(v->queue));
    if (v->type->reset)
        v->type->reset(v);
    vm_irq_line(v->dev.vm, v->dev.gsi, false);
}

static void set_status(struct virtio *v, u8 s)
{
    if (!s) {
        reset(v);
        return;
    }
    s &= ~VIRTIO_NEEDS_RESET;
    bool accept = (s & ~v->status & VIRTIO_FEATURES_OK);
    if (accept && (!(v->features & VIRTIO_F_VERSION_1) || (v->features & ~v->type->features)))
        s &= ~VIRTIO_FEATURES_OK; /* the driver reads it back (3.1.1) */
    v->status |= s;               /* only a reset clears bits (2.1.1) */
    if ((s & VIRTIO_DRIVER_OK) && !(v->status & VIRTIO_FEATURES_OK))
        virtio_break(v);
}

/* Return queue `n`, or NULL if there is none. */
static struct virtq *queue(struct virtio *v, u32 n) { return n < v->type->n_queues ? &v->queue[n] : NULL; }

/* Return half `n` of a 64-bit value, which the driver accesses by halves; the host is little-endian, too. */
static u32 *half(const u64 *value, unsigned n) { return (u32 *)value + n; }

static void write_queue(struct virtio *v, u32 offset, u32 value)
{
    struct virtq *q = queue(v, v->queue_select);
    if (!q)
        return;
    if (offset == QUEUE_READY && !(q->ready && (value & 1))) {
        q->ready = (value & 1) && vq_enable(q, v);
        if (q->ready == (value & 1))
            return;
    } else if (!q->ready && offset >= QUEUE_ADDRESS) { /* three addresses, 16 bytes apart, low half first */
        if (!(offset & 11))
            *half(&q->addr[(offset - QUEUE_ADDRESS) / 16], offset / 4 & 1) = value;
        return;
    } else if (!q->ready && value && value <= VQ_MAX && !(value & (value - 1))) {
        q->num = value;
        return;
    }
    virtio_break(v); /* invalid, or in use (4.2.2.2) */
}

static void write_register(struct virtio *v, u32 offset, u32 value)
{
    switch (offset) {
    case DEVICE_SELECT: v->device_select = value; break;
    case DRIVER_FEATURES:
        if (!(v->status & VIRTIO_FEATURES_OK) && v->driver_select < 2) /* once negotiated they stay until the reset */
            *half(&v->features, v->driver_select) = value;
        break;
    case DRIVER_SELECT: v->driver_select = value; break;
    case QUEUE_SELECT: v->queue_select = value; break;
    case QUEUE_NOTIFY:
        v->budget = VIRTIO_BUDGET;
        if (queue(v, value))
            v->type->notify(v, queue(v, value));
        v->dev.again = v->budget <= 0;
        break;
    case INTERRUPT_ACK:
        v->interrupts &= ~value;
        if (!v->interrupts)
            vm_irq_line(v->dev.vm, v->dev.gsi, false);
        break;
    case STATUS: set_status(v, value); break;
    default:
        if (offset == QUEUE_NUM || offset == QUEUE_READY || (offset >= QUEUE_ADDRESS && offset < QUEUE_ADDRESS_END))
            write_queue(v, offset, value);
    }
}

static u32 read_register(struct virtio *v, u32 offset)
{
    struct virtq *q = queue(v, v->queue_select);
    switch (offset) {
    case MAGIC: return 0x74726976; /* "virt" */
    case VERSION: return 2;
    case DEVICE_ID: return v->type->id;
    case VENDOR_ID: return VENDOR;
    case DEVICE_FEATURES: return v->device_select < 2 ? *half(&v->type->features, v->device_select) : 0;
    case QUEUE_NUM_MAX: return q ? VQ_MAX : 0;
    case QUEUE_READY: return q && q->ready;
    case INTERRUPT_STATUS: return v->interrupts;
    case STATUS: return v->status;
    default: /* no shared memory region: length and base read as all ones (4.2.2) */
        return offset >= SHM_LENGTH && offset < SHM_END ? -1u : 0;
    }
}

static u64 mmio_read(struct vdev *d, u32 offset, unsigned size)
{
    struct virtio *v = container_of(d, struct virtio, dev);
    if (offset < CONFIG)
        return size == 4 ? read_register(v, offset) : 0;
    u64 value = 0;
    offset -= CONFIG;
    if (offset < v->type->config_size)
        memcpy(&value, (const u8 *)v + v->type->config + offset, MIN(size, v->type->config_size - offset));
    return value;
}

static void mmio_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct virtio *v = container_of(d, struct virtio, dev);
    if (offset >= CONFIG || size != 4)
        return; /* no configuration field is writable */
    if (v->shared && !spin_try(v->shared)) {
        d->again = true; /* a sender has the switch: the guest comes back, with interrupts on in between */
        return;
    }
    write_register(v, offset, value);
    if (v->shared)
        spin_unlock(v->shared);
}

static void mmio_reset(struct vdev *d)
{
    struct virtio *v = container_of(d, struct virtio, dev);
    if (v->shared)
        spin_lock(v->shared);
    reset(v);
    if (v->shared)
        spin_unlock(v->shared);
}

static const struct vdev_ops mmio_ops = { "virtio", mmio_read, mmio_write, mmio_reset, 4 };

__init_text int virtio_create(struct vm *vm, const struct sys_device *conf, const struct sys_header *sys)
{
    static int (*const create[])(struct virtio * v, const struct sys_device *conf, const struct sys_header *sys) = {
        [SYS_DEV_CONSOLE] = virtio_console_create,
        [SYS_DEV_BLOCK] = virtio_block_create,
        [SYS_DEV_NET] = virtio_net_create,
        [SYS_DEV_RNG] = virtio_rng_create,
    };
    if (conf->type >= ARRAY_SIZE(create) || !create[conf->type])
        return -EINVAL;
    if (conf->slot >= VIRTIO_SLOTS)
        return -ERANGE;
    struct virtio *v = vm_device_alloc(vm);
    if (!v)
        return -ENOMEM;
    v->dev.ops = &mmio_ops;
    v->dev.vm = vm;
    v->dev.gsi = VIRTIO_GSI + conf->slot;
    v->mem = vm_memory(vm);
    int err = create[conf->type](v, conf, sys);
    return err ? err : vm_claim_mmio(vm, VIRTIO_BASE + conf->slot * VIRTIO_STRIDE, VIRTIO_STRIDE, &v->dev);
}
