/* SPDX-License-Identifier: MIT */
/*
 * io.c - dispatches an access to a port or to device memory to its device.
 *
 * Each of the two spaces has a table of ranges, filled at creation and constant afterwards, so a look-up needs no lock.
 * The device's own lock is held around its function. Addresses that no device has claimed behave like an empty bus:
 * reads return all ones, writes do nothing.
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

/* Return the range that holds the first byte of an access; NULL: no device. */
static __attribute__((noinline)) const struct io_range *search_ranges(struct io_map *m, u64 addr)
{
    for (unsigned i = 0; i < m->n; i++)
        if (addr - m->range[i].base < m->range[i].size) {
            WRITE_ONCE(m->last, i);
            return &m->range[i];
        }
    return NULL;
}

/* Devices are accessed in runs, so the last range is tried first. */
static inline const struct io_range *find_range(struct io_map *m, u64 addr)
{
    const struct io_range *r = &m->range[READ_ONCE(m->last)];
    return addr - r->base < r->size ? r : search_ranges(m, addr);
}

/* Split an access into parts of `width` bytes, as the bus would: for a device that takes no more at once, or into bytes
 * at a range's end. It ends at a part that is to be repeated. */
static __cold __noinline bool access_parts(struct io_map *map, u64 addr, unsigned size, bool write, u64 *value,
                                           unsigned width)
{
    u64 all = 0;
    bool done = true;
    for (unsigned i = 0; done && i < size; i += width) {
        u64 part = *value >> i * 8;
        done = io_access(map, addr + i, width, write, &part);
        all |= part << i * 8;
    }
    *value = all;
    return done;
}

bool io_access(struct io_map *map, u64 addr, unsigned size, bool write, u64 *value)
{
    const struct io_range *r = find_range(map, addr);
    u64 ones = ~0ul >> (64 - size * 8);
    if (!r) {
        *value = ones;
        return true;
    }
    u32 offset = addr - r->base;
    struct vdev *d = r->dev;
    if (size > 1) {
        if (unlikely(size > r->size - offset))
            return access_parts(map, addr, size, write, value, 1);
        if (unlikely(size > d->ops->width))
            return access_parts(map, addr, size, write, value, d->ops->width);
    }
    offset += r->first;
    spin_lock_by_tries(&d->lock); /* another vCPU may hold it for a whole notification */
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
