/* SPDX-License-Identifier: MIT */
/*
 * mmio.c - the register file of virtio over MMIO, version 2 (virtio 1.2, 4.2.2).
 *
 * Registers below 100h are 32 bits wide; other accesses there read as zero and
 * write nothing.  A feature set without VERSION_1 or with a bit that was not
 * offered is not accepted.  A queue can be configured only while it is not ready,
 * and becomes ready only if all of it lies in RAM.
 */
#include <errors.h>
#include <string.h>
#include "virtio.h"

#define MMIO_BASE   0xd0000000ul
#define MMIO_STRIDE 0x1000
#define FIRST_GSI   16
#define MAX_SLOTS   8          /* GSI 24 and up belong to the tunnels */
#define VENDOR      0x474c4d41 /* "AMLG" */

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

void virtio_interrupt(struct virtio *v, u8 why)
{
    if (v->interrupts & why)
        return; /* the line is up already */
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
    v->status |= s;               /* bits are never taken back but by a reset (2.1.1) */
    if ((s & VIRTIO_DRIVER_OK) && !(v->status & VIRTIO_FEATURES_OK))
        virtio_break(v);
}

/* The selected queue, or NULL beyond the last. */
static struct virtq *selected(struct virtio *v)
{
    return v->queue_select < v->type->n_queues ? &v->queue[v->queue_select] : NULL;
}

static void set_ready(struct virtio *v, struct virtq *q, u32 ready)
{
    q->ready = ready & 1;
    if (q->ready && !vq_enable(q, v->mem)) {
        q->ready = false;
        virtio_break(v);
    }
}

static void write_queue(struct virtio *v, u32 offset, u32 value)
{
    struct virtq *q = selected(v);
    if (!q)
        return;
    if (offset == QUEUE_READY && !(q->ready && (value & 1))) {
        set_ready(v, q, value);
        return;
    }
    if (q->ready) {
        virtio_break(v); /* 4.2.2.2: not while it is in use */
        return;
    }
    if (offset == QUEUE_NUM) {
        if (!value || value > VQ_MAX || (value & (value - 1)))
            virtio_break(v);
        else
            q->num = value;
        return;
    }
    /* Three 64-bit addresses, 16 bytes apart, low half first. */
    u64 *a = &q->addr[(offset - QUEUE_ADDRESS) / 16];
    if ((offset & 15) == 0)
        *a = (*a & ~0xffffffffull) | value;
    else if ((offset & 15) == 4)
        *a = (u32)*a | (u64)value << 32;
}

static void write_features(struct virtio *v, u32 value)
{
    if (v->status & VIRTIO_FEATURES_OK)
        return; /* negotiated: settled until the reset */
    if (v->driver_select == 0)
        v->features = (v->features & ~0xffffffffull) | value;
    else if (v->driver_select == 1)
        v->features = (u32)v->features | (u64)value << 32;
}

static void write_register(struct virtio *v, u32 offset, u32 value)
{
    switch (offset) {
    case DEVICE_SELECT: v->device_select = value; break;
    case DRIVER_FEATURES: write_features(v, value); break;
    case DRIVER_SELECT: v->driver_select = value; break;
    case QUEUE_SELECT: v->queue_select = value; break;
    case QUEUE_NOTIFY:
        if (virtio_running(v) && value < v->type->n_queues)
            v->dev.again = v->type->notify(v, value);
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
    struct virtq *q = selected(v);
    switch (offset) {
    case MAGIC: return 0x74726976; /* "virt" */
    case VERSION: return 2;
    case DEVICE_ID: return v->type->id;
    case VENDOR_ID: return VENDOR;
    case DEVICE_FEATURES:
        return v->device_select == 0 ? v->type->features : v->device_select == 1 ? v->type->features >> 32 : 0;
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
    if (offset < v->config_size)
        memcpy(&value, (const u8 *)v->config + offset, MIN(size, v->config_size - offset));
    return value;
}

static void mmio_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct virtio *v = container_of(d, struct virtio, dev);
    if (offset >= CONFIG || size != 4)
        return; /* no device of ours has a writable configuration field */
    if (v->shared)
        spin_lock(v->shared);
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

static const struct vdev_ops mmio_ops = { "virtio", mmio_read, mmio_write, mmio_reset };

__init_text int virtio_init(struct virtio *v, struct vm *vm, const struct sys_device *conf,
                            const struct virtio_type *type, const void *config, u32 config_size)
{
    if (conf->slot >= MAX_SLOTS)
        return -ERANGE;
    v->dev = (struct vdev){ .ops = &mmio_ops, .vm = vm, .id = conf->slot, .gsi = FIRST_GSI + conf->slot };
    v->type = type;
    v->mem = vm_memory(vm);
    v->config = config;
    v->config_size = config_size;
    return vm_claim_mmio(vm, MMIO_BASE + conf->slot * MMIO_STRIDE, MMIO_STRIDE, &v->dev);
}

__init_text int virtio_create(struct vm *vm, const struct sys_device *conf, const struct sys_header *sys)
{
    switch (conf->type) {
    case SYS_DEV_CONSOLE: return virtio_console_create(vm, conf);
    case SYS_DEV_BLOCK:
        return conf->flags & SYS_DEV_BACKEND ? split_block_create(vm, conf, sys) : virtio_block_create(vm, conf, sys);
    case SYS_DEV_NET: return virtio_net_create(vm, conf);
    case SYS_DEV_RNG: return virtio_rng_create(vm, conf);
    default: return -EINVAL;
    }
}
