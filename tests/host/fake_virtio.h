/* SPDX-License-Identifier: MIT */
/*
 * fake_virtio.h - a virtio device of which nothing is there but its registers and what it finds in its queues.
 *
 * Whenever it is told that there is something, and whenever a test likes, it follows every descriptor that it could
 * follow: what is not pinned memory, or no chain, is in fake.strays. It is done with a request when a test says so, and
 * says of it what the test likes.
 */
#ifndef AMALGAM_TESTS_FAKE_VIRTIO_H
#define AMALGAM_TESTS_FAKE_VIRTIO_H

#include <string.h>
#include <sys/mman.h>

#include <generated/dma_calls.h>

#include "device/device.h"
#include "device/virtqueue.h"

struct device *device_handles[SYS_MAX_DOMAINS][HANDLES];

enum { FAKE_STATUS = 0x170, FAKE_NOTIFY = 0x150 };

static struct fake_virtio {
    u32 registers[0x80]; /* by their numbers: the configuration, then the transport's */
    u32 features[2], chosen[2];
    u32 most;              /* pieces of a queue */
    bool refuses_features; /* its status does not keep that they are chosen */
    struct fake_queue {
        u32 size, ready, seen;
        u64 pieces, offered, used;
    } queue[2];
    unsigned notified;
    const char *strays; /* what it could have done that it must not */
} fake;
static struct domain fake_domain;
static struct process fake_process;
static struct process_thread fake_thread;
static struct device fake_device;

static struct virtqueue *fake_ring(u32 i) { return virtqueue_of(&fake_device, i); }

/* Follow a chain, as the device does. */
static void fake_follow(const struct fake_queue *q, u32 i)
{
    const struct virtqueue_piece *table = (const void *)(uintptr_t)q->pieces;
    bool writes = false;
    for (unsigned n = 0;; n++) {
        if (i >= q->size || n >= q->size) {
            fake.strays = "a chain that does not end";
            return;
        }
        u64 from = table[i].at - fake_device.state.memory;
        if (from > fake_device.class->memory || table[i].n > fake_device.class->memory - from)
            fake.strays = "a piece that is not pinned memory";
        if (table[i].flags & ~3u || (writes && !(table[i].flags & 2)))
            fake.strays = "flags of a piece";
        if (n && fake_device.class->one_way && writes != !!(table[i].flags & 2))
            fake.strays = "a request of both directions";
        writes = table[i].flags & 2;
        if (!(table[i].flags & 1))
            return;
        i = table[i].next;
    }
}

/* Look at all that is offered. Returns how many requests there are that it has not seen before. */
static unsigned fake_look(u32 i)
{
    struct fake_queue *q = &fake.queue[i];
    unsigned n = 0;
    if (!q->ready || fake.registers[FAKE_STATUS / 4] != 15)
        return 0;
    const u16 *offered = (const void *)(uintptr_t)q->offered;
    for (; (u16)q->seen != offered[1]; q->seen++, n++)
        fake_follow(q, offered[2 + q->seen % q->size]);
    return n;
}

/* It says that it is done with request `first` and wrote `written` bytes, whether or not that can be. */
static void fake_says(u32 i, u32 first, u32 written)
{
    struct virtqueue *q = fake_ring(i);
    q->used.done[q->used.index % VIRTQUEUE_PIECES].first = first;
    q->used.done[q->used.index % VIRTQUEUE_PIECES].written = written;
    q->used.index++;
}

/* A register of the queue that is chosen; NULL: another one. */
static u32 *fake_of_queue(u32 at)
{
    struct fake_queue *q = &fake.queue[fake.registers[0x130 / 4] & 1];
    u64 *address[] = { &q->pieces, &q->offered, &q->used };
    if (at >= 0x180 && at < 0x1a8 && at % 16 < 8)
        return (u32 *)address[(at - 0x180) / 16] + at % 8 / 4;
    return at == 0x134 ? &fake.most : at == 0x138 ? &q->size : at == 0x144 ? &q->ready : NULL;
}

u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    u32 *of_queue = fake_of_queue(at);
    if (at == 0x110)
        return fake.features[fake.registers[0x114 / 4] & 1];
    return of_queue ? *of_queue : fake.registers[at / 4] >> 8 * (at % 4);
}

void hal_device_write(const struct hal_device *d, u32 at, u32 width, u32 value)
{
    u32 *of_queue = fake_of_queue(at);
    if (at == FAKE_STATUS && !value)
        memset(fake.queue, 0, sizeof(fake.queue));
    if (at == FAKE_STATUS && fake.refuses_features)
        value &= ~8u;
    if (at == 0x120)
        fake.chosen[fake.registers[0x124 / 4] & 1] = value;
    if (of_queue)
        *of_queue = value;
    else
        fake.registers[at / 4] = value;
    if (at == FAKE_NOTIFY) {
        fake.notified++;
        fake_look(value & 1);
    }
}

/* A device of this class, reset, whose driver is the process, by handle 0. */
static void fake_begin(const struct device_class *class)
{
    paddr_t memory = fake_device.state.memory;
    size_t size = class->memory + class->rings;
    if (!memory)
        memory = (uintptr_t)mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    memset((void *)(uintptr_t)memory, 0, size);
    fake = (struct fake_virtio){ .features = { ~0u, ~0u }, .most = 1024 };
    fake_domain = (struct domain){ .id = 0 };
    fake_process.domain = &fake_domain;
    fake_thread.process = &fake_process;
    fake_device = (struct device){ .class = class, .process = &fake_process, .state = { .memory = memory } };
    device_handles[0][0] = &fake_device;
}

static s64 submit(u32 how, u32 offset, u32 n) { return dma_call_dma_submit(&fake_thread.user, 0, how, offset, n); }
static s64 done(u32 queue) { return dma_call_dma_done(&fake_thread.user, 0, queue); }

#endif
