/* SPDX-License-Identifier: MIT */
/*
 * fake_driver.h - a guest's virtio driver in miniature: brings a device up, builds
 * descriptor chains in the fake VM's RAM, reads the used ring back.
 */
#ifndef AMALGAM_FAKE_DRIVER_H
#define AMALGAM_FAKE_DRIVER_H

#include <string.h>
#include "fake_vm.h"

#define DRV_QUEUE    8 /* entries */
#define DRV_RING(q)  (0x10000u + (q)*0x4000u)
#define DRV_DESC(q)  DRV_RING(q)
#define DRV_AVAIL(q) (DRV_RING(q) + 0x1000u)
#define DRV_USED(q)  (DRV_RING(q) + 0x2000u)
enum { DRV_NEXT = 1, DRV_WRITE = 2, DRV_INDIRECT = 4 };

struct drv {
    struct vm *vm;
    u64 base;
    unsigned gsi;
};

static inline u8 *drv_ram(struct drv *d, u64 gpa) { return guest_ptr(&d->vm->mem, gpa, 1); }
static inline u32 drv_get(struct drv *d, u32 reg) { return fake_load(d->vm, d->base + reg, 4); }
static inline void drv_set(struct drv *d, u32 reg, u32 v) { fake_store(d->vm, d->base + reg, 4, v); }
static inline u16 drv_u16(struct drv *d, u64 gpa)
{
    u16 v;
    memcpy(&v, drv_ram(d, gpa), 2);
    return v;
}
static inline void drv_set_u16(struct drv *d, u64 gpa, u16 v) { memcpy(drv_ram(d, gpa), &v, 2); }

static inline struct drv drv_at(struct vm *vm, unsigned slot)
{
    return (struct drv){ vm, 0xd0000000ul + slot * 0x1000, 16 + slot };
}

static inline void drv_queue(struct drv *d, unsigned q)
{
    drv_set(d, 0x30, q);
    drv_set(d, 0x38, DRV_QUEUE);
    drv_set(d, 0x80, DRV_DESC(q));
    drv_set(d, 0x90, DRV_AVAIL(q));
    drv_set(d, 0xa0, DRV_USED(q));
    drv_set(d, 0x44, 1);
}

/* So many entries, for longer chains; it holds the first DRV_QUEUE offers of drv_offer(). */
static inline void drv_enlarge(struct drv *d, unsigned q, u32 entries)
{
    drv_set(d, 0x30, q);
    drv_set(d, 0x44, 0);
    drv_set(d, 0x38, entries);
    drv_set(d, 0x44, 1);
}

static inline void drv_features(struct drv *d, u64 f)
{
    drv_set(d, 0x70, 0);
    drv_set(d, 0x70, 3);
    drv_set(d, 0x24, 0);
    drv_set(d, 0x20, f);
    drv_set(d, 0x24, 1);
    drv_set(d, 0x20, f >> 32);
    drv_set(d, 0x70, 11);
}

/* All of initialisation (virtio 1.2, 3.1.1) with VERSION_1 and indirect descriptors. */
static inline void drv_start(struct drv *d, unsigned n_queues)
{
    drv_features(d, 1ull << 32 | 1ull << 28);
    for (unsigned q = 0; q < n_queues; q++) {
        memset(drv_ram(d, DRV_RING(q)), 0, 0x4000);
        drv_queue(d, q);
    }
    drv_set(d, 0x70, 15);
}

static inline void drv_desc_at(struct drv *d, u64 table, unsigned i, u64 addr, u32 len, u16 flags, u16 next)
{
    u8 *p = drv_ram(d, table + 16 * i);
    memcpy(p, &addr, 8);
    memcpy(p + 8, &len, 4);
    memcpy(p + 12, &flags, 2);
    memcpy(p + 14, &next, 2);
}

static inline void drv_desc(struct drv *d, unsigned q, unsigned i, u64 addr, u32 len, u16 flags, u16 next)
{
    drv_desc_at(d, DRV_DESC(q), i, addr, len, flags, next);
}

/* Make the chain that begins at descriptor `head` available, without telling the device. */
static inline void drv_offer(struct drv *d, unsigned q, u16 head)
{
    u16 idx = drv_u16(d, DRV_AVAIL(q) + 2);
    drv_set_u16(d, DRV_AVAIL(q) + 4 + 2 * (idx % DRV_QUEUE), head);
    drv_set_u16(d, DRV_AVAIL(q) + 2, idx + 1);
}

static inline void drv_kick(struct drv *d, unsigned q) { drv_set(d, 0x50, q); }
static inline u16 drv_used(struct drv *d, unsigned q) { return drv_u16(d, DRV_USED(q) + 2); }
/* Length of the i-th used element. */
static inline u32 drv_used_len(struct drv *d, unsigned q, unsigned i)
{
    u32 v;
    memcpy(&v, drv_ram(d, DRV_USED(q) + 8 + 8 * (i % DRV_QUEUE)), 4);
    return v;
}
static inline bool drv_broken(struct drv *d) { return drv_get(d, 0x70) & 0x40; }

#endif
