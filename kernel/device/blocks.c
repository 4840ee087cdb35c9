/* SPDX-License-Identifier: MIT */
/*
 * blocks.c - ranges of a disk's blocks as handles (kernel/api/blocks.yaml).
 *
 * The kernel reads no request for a disk: the process that drives it does, for others. A range is what the others show
 * it: only a driver makes one, of its own disk, so who has a handle of it was given that by the driver, or by who was.
 * The driver asks by each request, so a withdrawn range is refused from then on. The ranges end with their driver.
 *
 * Who has a range makes parts of it for others, which are ranges to the driver. A part is its maker's, of whose own few
 * it is one, so nobody takes another one's places; and good for as long as the generation of the whole that it is of.
 */
#include <errors.h>
#include <generated/blocks_calls.h>
#include <process/part.h>

#include "device.h"

#define RANGES    8u /* of a disk */
#define PARTS     2u /* of a process */
#define PER_BLOCK 8u /* sectors */
#define CAPACITY  0u /* registers: sectors, two words (Virtual I/O Device 1.1, 5.2.4) */

static struct range {
    struct handle_object object;
    const struct device *disk;
    u32 first;
    u32 used;                  /* atomic */
    const struct range *whole; /* NULL: it is no part of one */
    u32 generation;            /* of the whole */
} ranges[HAL_LINES][RANGES], parts[SYS_MAX_DOMAINS][PARTS];

/* handle_ops.closed */
static void closed(struct handle_object *o, struct process_thread *self, unsigned index, u32 rights)
{
    if (!(rights & HANDLE_OWN))
        return;
    handle_withdraw(o, self);
    __atomic_store_n(&container_of(o, struct range, object)->used, false, __ATOMIC_RELEASE);
}

static const struct handle_ops ops = { .closed = closed };

/* Returns one of `n` that is nobody's, or NULL. */
static struct range *find_unused(struct range *from, u32 n)
{
    for (struct range *r = from; r < from + n; r++)
        if (r->object.generation != HANDLE_SPENT && !__atomic_exchange_n(&r->used, true, __ATOMIC_ACQUIRE))
            return r;
    return NULL;
}

static struct range *new_range(const struct device *d) { return find_unused(ranges[d->line], RANGES); }

static u64 capacity(const struct device *d)
{
    return ((u64)hal_device_read(&d->hal, CAPACITY + 4, 4) << 32 | hal_device_read(&d->hal, CAPACITY, 4)) / PER_BLOCK;
}

/* Give the process a range that it has made. Returns the handle, or an error; then the range is nobody's. */
static s64 give(struct process *p, struct range *r, u32 writes)
{
    r->object.kind = HANDLE_BLOCK;
    r->object.ops = &ops;
    s64 index = handle_give(p, &r->object, HANDLE_READ | (writes ? HANDLE_WRITE : 0) | HANDLE_SEND | HANDLE_OWN);
    if (index < 0)
        __atomic_store_n(&r->used, false, __ATOMIC_RELEASE);
    return index;
}

s64 blocks_call_blocks_make(struct process_thread *t, u32 handle, u32 first, u32 n, u32 writes)
{
    const struct device *d = device_of(t->process, handle);
    if (!d)
        return -EBADF;
    if (d->class != &device_virtio_block)
        return -EINVAL;
    u64 all = capacity(d);
    if (!n || first >= all || n > all - first)
        return -EINVAL;
    struct range *r = new_range(d);
    if (!r)
        return -ENOMEM;
    r->disk = d;
    r->first = first;
    r->object.size = n;
    return give(t->process, r, writes);
}

/*
 * Make a part of a range that the caller's handle names. The range is taken twice: between, who withdraws it waits, and
 * gives it to nobody anew, so the second time says that the generation which was read is the handle's.
 */
static s64 cut(struct process *p, u32 handle, u32 rights, u32 first, u32 n, struct range **made)
{
    struct handle_object *o, *again;
    s64 err = handle_take(p, handle, HANDLE_BLOCK, rights, &o);
    if (err)
        return err;
    const struct range *whole = container_of(o, struct range, object);
    if (whole->whole || !n || first >= o->size || n > o->size - first)
        err = -EINVAL;
    else if (!(*made = find_unused(parts[p->domain->id], PARTS)))
        err = -ENOMEM;
    if (!err) {
        struct range *r = *made;
        r->disk = whole->disk;
        r->first = whole->first + first;
        r->object.size = n;
        r->whole = whole;
        r->generation = READ_ONCE(o->generation);
        err = handle_take(p, handle, HANDLE_BLOCK, rights, &again);
        if (!err) {
            handle_put(again);
            err = again == o ? 0 : -ESTALE;
        }
        if (err)
            __atomic_store_n(&r->used, false, __ATOMIC_RELEASE);
    }
    handle_put(o);
    return err;
}

s64 blocks_call_blocks_part(struct process_thread *t, u32 handle, u32 first, u32 n, u32 writes)
{
    struct range *r;
    unsigned long flags = irq_save();
    s64 err = cut(t->process, handle, HANDLE_READ | HANDLE_SEND | (writes ? HANDLE_WRITE : 0), first, n, &r);
    irq_restore(flags);
    return err ? err : give(t->process, r, writes);
}

/* Returns whether what it is a part of was withdrawn. */
static bool is_stale(const struct range *r)
{
    return r->whole && READ_ONCE(r->whole->object.generation) != r->generation;
}

/* A fast call: interrupts are off. */
s64 blocks_call_blocks_first(struct user *u, u32 handle, u32 disk, u32 right)
{
    struct process *p = container_of(u, struct process_thread, user)->process;
    const struct device *d = device_of(p, disk);
    struct handle_object *o;
    if (!d)
        return -EBADF;
    s64 result = handle_take(p, handle, HANDLE_BLOCK, right, &o);
    if (result)
        return result;
    const struct range *r = container_of(o, struct range, object);
    result = r->disk != d ? -ENODEV : is_stale(r) ? -ESTALE : (s64)r->first;
    handle_put(o);
    return result;
}

static void end_range(struct range *r)
{
    if (!r->used)
        return;
    handle_withdraw(&r->object, NULL);
    r->used = false;
}

/* The ranges of the process's disks end with its run, whoever has handles of them, and the parts that it has made.
 * Ranges of others' disks may be in the making. */
static int end(struct process *p)
{
    for (unsigned line = 0; line < HAL_LINES; line++)
        for (struct range *r = ranges[line]; device_on(line)->process == p && r < ranges[line] + RANGES; r++)
            end_range(r);
    for (struct range *r = parts[p->domain->id]; r < parts[p->domain->id] + PARTS; r++)
        end_range(r);
    return 0;
}

PROCESS_PART(blocks, .at = { [PROCESS_ENDS] = end });
