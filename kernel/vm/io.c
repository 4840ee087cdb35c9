/* SPDX-License-Identifier: MIT */
/*
 * io.c - which device answers an access to a port or to device memory.
 *
 * A table of ranges in each space, filled at creation and never changed after, so
 * looking things up needs no lock; the device's own lock is held around its answer.
 * What no device claims behaves like an empty bus: reads all ones, writes vanish.
 */
#include <errors.h>
#include <vm/vm.h>

static __init_text int claim(struct io_map *m, u64 base, u32 size, struct vdev *d)
{
    for (unsigned i = 0; i < m->n; i++)
        if (base < m->range[i].base + m->range[i].size && m->range[i].base < base + size)
            return -EEXIST;
    if (m->n == IO_RANGES)
        return -ENOSPC;
    m->range[m->n++] = (struct io_range){ base, size, d->size, d };
    d->size += size;
    return 0;
}

__init_text int vm_claim_pio(struct vm *vm, u16 port, u16 count, struct vdev *d)
{
    return claim(&vm->pio, port, count, d);
}

__init_text int vm_claim_mmio(struct vm *vm, gpa_t gpa, u32 size, struct vdev *d)
{
    return claim(&vm->mmio, gpa, size, d);
}

/* The range that holds the first byte of an access; NULL: nobody's. */
static __attribute__((noinline)) const struct io_range *search(struct io_map *m, u64 addr)
{
    for (unsigned i = 0; i < m->n; i++)
        if (addr - m->range[i].base < m->range[i].size) {
            WRITE_ONCE(m->last, i);
            return &m->range[i];
        }
    return NULL;
}

/* Devices are talked to in runs: the last one found is tried first. */
static inline const struct io_range *find(struct io_map *m, u64 addr)
{
    const struct io_range *r = &m->range[READ_ONCE(m->last)];
    return addr - r->base < r->size ? r : search(m, addr);
}

/* An access that runs over a range's end goes byte by byte, as the bus would do it. */
static __cold __noinline bool access_bytes(struct io_map *map, u64 addr, unsigned size, bool write, u64 *value)
{
    u64 all = 0;
    bool done = true;
    for (unsigned i = 0; i < size; i++) {
        u64 byte = *value >> i * 8;
        done &= io_access(map, addr + i, 1, write, &byte);
        all |= byte << i * 8;
    }
    *value = all;
    return done;
}

bool io_access(struct io_map *map, u64 addr, unsigned size, bool write, u64 *value)
{
    const struct io_range *r = find(map, addr);
    u64 ones = ~0ul >> (64 - size * 8);
    if (!r) {
        *value = ones;
        return true;
    }
    u32 offset = addr - r->base;
    if (unlikely(size > r->size - offset))
        return access_bytes(map, addr, size, write, value);
    struct vdev *d = r->dev;
    offset += r->first;
    irq_disable();
    spin_lock(&d->lock);
    if (write)
        d->ops->write(d, offset, size, *value & ones);
    else
        *value = d->ops->read(d, offset, size) & ones;
    bool again = d->again;
    d->again = false;
    spin_unlock(&d->lock);
    irq_enable();
    return !again;
}

static __cold void reset_map(struct io_map *m)
{
    for (unsigned i = 0; i < m->n; i++) {
        struct vdev *d = m->range[i].dev;
        unsigned seen = 0;
        while (m->range[seen].dev != d)
            seen++;
        if (seen != i || !d->ops->reset)
            continue;
        unsigned long flags = spin_lock_irqsave(&d->lock);
        d->ops->reset(d);
        d->again = false;
        spin_unlock_irqrestore(&d->lock, flags);
    }
}

void vm_devices_reset(struct vm *vm)
{
    reset_map(&vm->pio);
    reset_map(&vm->mmio);
}
