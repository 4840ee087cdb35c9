/* SPDX-License-Identifier: MIT */
/*
 * device.c - virtio devices by registers in memory (Virtual I/O Device 1.1, 4.2), for the kernels of clusters. PMP
 * binds no device, so no kernel reaches a register or a ring: it makes the calls of the extension 0x0a00414d
 * (docs/boards.md), which tell a device of memory in the caller's slice only. The table (table.h) says which cluster
 * has a device.
 *
 * A device's interrupt comes to machine mode, on the hart that the kernel has chosen among its own. It masks the
 * device, and raises that hart's supervisor external interrupt, which has no other source; the kernel asks which
 * devices it was. So a device interrupts a hart once for each time that the kernel has unmasked it.
 *
 * One ticket lock guards all that is here. Only harts of clusters that have devices wait for it, and what is done with
 * it is bounded: at most FW_RINGS bytes are cleared.
 */
#include "csr.h"
#include "sbi.h"
#include "virtio.h"
#include "virtqueue.h"

/* RISC-V Platform-Level Interrupt Controller 1.0, as QEMU's `virt` has it: contexts are machine and supervisor mode of
 * each hart. */
#define PLIC            0x0c000000ul
#define PLIC_ENABLE     0x2000u
#define PLIC_CONTEXT    0x200000u
#define MACHINE_MODE(h) (2u * (h))

/* What devices there are. No feature lets a device reach other memory than that of its requests. QEMU 7.2 ends, and the
 * board with it, by a request to a card whose first piece is shorter than its head, or of which the card may write less
 * than a head behind what it reads. */
static const struct kind {
    u32 number, features;
    u8 queues;
    struct virtqueue_rule rule;
} kinds[] = {
    { 1, NET_MAC | NET_STATUS, 2, { .head = 12, .one_way = true } },
    { 2, BLOCK_SIZE | BLOCK_FLUSH, 1, { .head = 16 } },
};
_Static_assert(FW_RINGS >= 2 * FW_RING, "room for the queues of each kind");

static struct device {
    const struct kind *runs; /* NULL: it is reset, or was not begun */
    u32 hart;                /* its interrupts come there; not connected yet: 0, where none is enabled */
    bool raised;             /* it has interrupted, and the kernel has not asked */
} devices[FW_DEVICES];

static struct {
    u32 next, serving;
} tickets;

static u32 lock(u32 me)
{
    u32 turn = __atomic_fetch_add(&tickets.next, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&tickets.serving, __ATOMIC_ACQUIRE) != turn)
        relax(me);
    return turn;
}

static void unlock(u32 turn) { __atomic_store_n(&tickets.serving, turn + 1, __ATOMIC_RELEASE); }

static const struct fw_device *device_table(u32 i) { return (const struct fw_device *)(ulong)table()->devices + i; }
static struct virtqueue *queue_of(const struct fw_device *d, u32 i)
{
    return (struct virtqueue *)(ulong)(d->rings + i * FW_RING);
}

static void put(const struct fw_device *d, u32 at, u32 value)
{
    fence_io();
    *reg32(d->registers + at) = value;
}

static u32 get(const struct fw_device *d, u32 at)
{
    u32 value = *reg32(d->registers + at);
    fence_io();
    return value;
}

static void put_address(const struct fw_device *d, u32 at, const volatile void *p)
{
    put(d, at, (u32)(ulong)p);
    put(d, at + 4, 0);
}

/* Returns what device is there, or NULL: nothing that is known. */
static const struct kind *kind_of(const struct fw_device *d)
{
    if (get(d, MAGIC) != MAGIC_VALUE || get(d, VERSION) != VERSION_VALUE)
        return NULL;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].number == get(d, KIND))
            return &kinds[i];
    return NULL;
}

/* Let the device's interrupt come, or no longer. */
static void mask(const struct fw_device *d, bool masked)
{
    fence_io();
    *reg32(PLIC + 4ul * d->irq) = !masked;
}

static void reset(const struct fw_device *d, struct device *s)
{
    mask(d, true);
    put(d, STATUS, 0);
    s->runs = NULL;
    s->raised = false;
}

void device_reset_all(u32 cluster)
{
    for (u32 i = 0; i < table()->n_devices; i++)
        if (device_table(i)->cluster == cluster)
            reset(device_table(i), &devices[i]);
}

/* The order of 4.2.3.2. Returns whether the device has such a queue. */
static bool start_queue(const struct fw_device *d, u32 i)
{
    struct virtqueue *q = queue_of(d, i);
    put(d, QUEUE, i);
    if (get(d, QUEUE_READY) || get(d, QUEUE_MOST) < QUEUE_PIECES)
        return false;
    virtqueue_begin(q);
    put(d, QUEUE_SIZE, QUEUE_PIECES);
    put_address(d, AT_PIECES, q->piece);
    put_address(d, AT_OFFERED, &q->offered);
    put_address(d, AT_USED, &q->used);
    put(d, QUEUE_READY, 1);
    return true;
}

/* The order of 3.1.1. A device that is not reset, as it may still use the rings, is not begun. */
static struct result device_start(const struct fw_device *d, struct device *s)
{
    const struct kind *kind = kind_of(d);
    u32 status = STATUS_SEEN | STATUS_DRIVER;
    if (!kind || s->runs || get(d, STATUS))
        return failed(SBI_ERR_DENIED);
    clear(d->rings, FW_RINGS);
    put(d, STATUS, status);
    put(d, FEATURES_WORD, 1);
    if (!(get(d, FEATURES) & VERSION_1))
        return failed(SBI_ERR_NOT_SUPPORTED);
    put(d, CHOSEN_WORD, 1);
    put(d, CHOSEN, VERSION_1);
    put(d, FEATURES_WORD, 0);
    put(d, CHOSEN_WORD, 0);
    put(d, CHOSEN, get(d, FEATURES) & kind->features);
    put(d, STATUS, status |= STATUS_FEATURES);
    if (get(d, STATUS) != status)
        return failed(SBI_ERR_NOT_SUPPORTED);
    for (u32 i = 0; i < kind->queues; i++)
        if (!start_queue(d, i))
            return failed(SBI_ERR_NOT_SUPPORTED);
    put(d, STATUS, status | STATUS_RUNS);
    s->runs = kind;
    return done(0);
}

/* a: the device, its register from the configuration on, the register's bytes. */
static struct result config(const struct fw_device *d, const ulong *a)
{
    ulong at = d->registers + CONFIG + a[1], width = a[2];
    if (a[1] >= CONFIG_SIZE || (width != 1 && width != 2 && width != 4) || a[1] % width)
        return failed(SBI_ERR_INVALID_PARAM);
    ulong value = width == 1 ? *(volatile u8 *)at : width == 2 ? *(volatile u16 *)at : *reg32(at);
    fence_io();
    return done(value);
}

/* Bits of a[1]: the queue is below them. */
enum { HOW_QUEUE = 3, HOW_WRITES = 4, HOW_MORE = 8, HOW_ALL = 15 };

static struct result of(long value) { return value < 0 ? failed(value) : done((ulong)value); }

/* a: the device, how, an address, bytes. An error drops the request that is being made in that queue, but for DENIED:
 * then nothing was looked at. */
static struct result submit(struct hart *me, const struct fw_device *d, const struct device *s, const ulong *a)
{
    u32 queue = a[1] & HOW_QUEUE;
    if (!s->runs || a[1] > HOW_ALL || queue >= s->runs->queues)
        return failed(SBI_ERR_DENIED);
    struct virtqueue *q = queue_of(d, queue);
    long number = in_slice(cluster_table(me->cluster), a[2], 0, a[3])
                      ? virtqueue_add(q, &s->runs->rule, a[1] & HOW_WRITES, a[2], a[3])
                      : SBI_ERR_INVALID_ADDRESS;
    if (number < 0)
        virtqueue_drop(q);
    else if (!(a[1] & HOW_MORE) && virtqueue_offer(q))
        put(d, QUEUE_NOTIFY, queue);
    return of(number);
}

static struct result take(const struct fw_device *d, const struct device *s, ulong queue)
{
    if (!s->runs || queue >= s->runs->queues)
        return failed(SBI_ERR_DENIED);
    return of(virtqueue_take(queue_of(d, (u32)queue)));
}

static volatile u32 *enables(u32 hart) { return reg32(PLIC + PLIC_ENABLE + MACHINE_MODE(hart) * 0x80ul); }
static volatile u32 *claim(u32 hart) { return reg32(PLIC + PLIC_CONTEXT + MACHINE_MODE(hart) * 0x1000ul + 4); }

/* Let the device, masked, interrupt that hart and no other one. */
static struct result connect(struct hart *me, const struct fw_device *d, struct device *s, ulong hart)
{
    if (!own_hart(cluster_table(me->cluster), hart))
        return failed(SBI_ERR_INVALID_PARAM);
    mask(d, true);
    *enables(s->hart) &= ~(1u << d->irq);
    *enables((u32)hart) |= 1u << d->irq;
    s->hart = (u32)hart;
    s->raised = false;
    return done(0);
}

/* The device is told first that its interrupt was seen, so the next thing that it has done is a new one. */
static struct result set_mask(const struct fw_device *d, bool masked)
{
    if (!masked)
        put(d, INTERRUPT_SEEN, get(d, INTERRUPT));
    mask(d, masked);
    return done(0);
}

static bool has_device(u32 cluster)
{
    for (u32 i = 0; i < table()->n_devices; i++)
        if (device_table(i)->cluster == cluster)
            return true;
    return false;
}

/* Returns, a bit each, which of the cluster's devices have interrupted this hart. Any kernel may ask; one without a
 * device does not get the lock. */
static struct result raised(struct hart *me)
{
    ulong found = 0;
    csr_clear(mip, IRQ_SE);
    if (!has_device(me->cluster))
        return done(0);
    u32 turn = lock(me->id);
    for (u32 i = 0; i < table()->n_devices; i++)
        if (devices[i].raised && devices[i].hart == me->id && device_table(i)->cluster == me->cluster) {
            devices[i].raised = false;
            found |= 1ul << i;
        }
    unlock(turn);
    return done(found);
}

/* An interrupt that came just before its device was masked or reset: the kernel asks, and finds nothing to do. */
void device_interrupt(struct hart *me)
{
    u32 turn = lock(me->id), irq = *claim(me->id);
    for (u32 i = 0; i < table()->n_devices; i++)
        if (irq && device_table(i)->irq == irq) {
            mask(device_table(i), true);
            devices[i].raised = true;
        }
    *claim(me->id) = irq;
    unlock(turn);
    csr_set(mip, IRQ_SE);
}

static struct result of_device(struct hart *me, ulong function, const struct fw_device *d, struct device *s,
                               const ulong *a)
{
    switch (function) {
    case 1: return config(d, a);
    case 2: reset(d, s); return done(get(d, STATUS));
    case 3: return device_start(d, s);
    case 4: return submit(me, d, s, a);
    case 5: return take(d, s, a[1]);
    case 6: return connect(me, d, s, a[1]);
    case 7: return set_mask(d, a[1]);
    default: return failed(SBI_ERR_NOT_SUPPORTED);
    }
}

/* a[0] is the device, but for function 8. */
struct result device_call(struct hart *me, ulong function, const ulong *a)
{
    if (function == 8)
        return raised(me);
    if (a[0] >= table()->n_devices || device_table((u32)a[0])->cluster != me->cluster)
        return failed(SBI_ERR_INVALID_PARAM);
    if (!function) {
        const struct kind *kind = kind_of(device_table((u32)a[0]));
        return kind ? done(kind->number) : failed(SBI_ERR_INVALID_PARAM);
    }
    u32 turn = lock(me->id);
    struct result result = of_device(me, function, device_table((u32)a[0]), &devices[a[0]], a);
    unlock(turn);
    return result;
}
