/* SPDX-License-Identifier: MIT */
/*
 * virtio.h - virtio 1.2 devices on the MMIO transport, with split virtqueues.
 *
 * mmio.c has the registers that all devices share, queue.c walks the rings, a device type is a `struct virtio_type`
 * with a notify function. All contents of a ring are hostile. Each descriptor is checked by guest_ptr() each time it is
 * read. A chain has at most as many descriptors as the queue. A driver that breaks the rules gets DEVICE_NEEDS_RESET,
 * and nothing else until it resets the device.
 *
 * Locks: a device's state is guarded by its vdev lock, which the dispatcher holds around notify. A network device is
 * also guarded by its switch's lock (`shared`), taken inside the vdev lock for each write to its registers. A sender
 * holds only the switch's lock when it changes a receiver. So two vdev locks are never held together.
 */
#ifndef AMALGAM_VM_VIRTIO_H
#define AMALGAM_VM_VIRTIO_H

#include <vm/system_part.h>
#include <vm/vdev.h>

#define VQ_MAX 256
/*
 * The most work of one exit, in bytes copied, eight of which count as one instruction. The guest repeats its
 * notification for the rest. A chain costs CHAIN_COST, each read of a descriptor DESC_COST and RANGE_COST for each
 * range of the guest's memory, an interrupt, which may go to eight vCPUs, INTERRUPT_COST. A loop ends when its budget
 * is used up, so it may overdraw by one chain. That is why chains are short, why none is begun with less than half the
 * budget, and why a chain is measured once: where that uses up the budget, the next exit serves it.
 */
#define VIRTIO_BUDGET  (32 * (s32)KIB)
#define CHAIN_COST     4096
#define DESC_COST      768
#define RANGE_COST     64
#define INTERRUPT_COST 8192
#define CHAIN_SHORT    8  /* descriptors of a frame, whose delivery walks three chains */
#define CHAIN_MAX      30 /* descriptors */

enum { VIRTIO_ID_NONE = 0, VIRTIO_ID_NET = 1, VIRTIO_ID_BLOCK = 2, VIRTIO_ID_CONSOLE = 3, VIRTIO_ID_RNG = 4 };
#define VIRTIO_F_INDIRECT_DESC (1ull << 28)
#define VIRTIO_F_VERSION_1     (1ull << 32)

enum { VIRTIO_DRIVER_OK = 4, VIRTIO_FEATURES_OK = 8, VIRTIO_NEEDS_RESET = 0x40 };
enum { VIRTIO_INT_USED = 1, VIRTIO_INT_CONFIG = 2 };

struct vring_desc {
    u64 addr;
    u32 len;
    u16 flags, next;
};
struct vring_avail {
    u16 flags, idx, ring[];
};
struct vring_used_elem {
    u32 id, len;
};
struct vring_used {
    u16 flags, idx;
    struct vring_used_elem ring[];
};
_Static_assert(sizeof(struct vring_desc) == 16 && sizeof(struct vring_used_elem) == 8, "virtio 1.2, 2.7");

struct virtio;

/* The two streams of a chain: bytes that the device reads, then bytes that it writes. */
enum vq_stream { VQ_READ, VQ_WRITE };

struct virtq {
    u64 addr[3];           /* descriptor table, available ring, used ring as the driver wrote them */
    struct virtio *device; /* this and the rest are valid once the queue has been ready */
    const struct vring_desc *desc;
    const struct vring_avail *avail;
    struct vring_used *used;
    u64 progress; /* bytes of the next chain that earlier exits have finished; of a frame: ports that have got it */
    u16 num;
    u16 next_avail, next_used;
    bool ready;    /* the three pointers are valid for `num` entries */
    bool measured; /* vq_peek() has found a chain, which is not completed yet */

    /* The chain that vq_peek() found, and the position of the walk. */
    bool more, indirect, write, bad;
    u16 head;
    u16 limit;   /* descriptors that may still follow */
    u32 n, next; /* entries of `table`; the next one to load */
    const struct vring_desc *table;
    u8 *at; /* the rest of the current descriptor */
    u32 left;
    s32 *budget;  /* the budget to charge */
    u64 bytes[2]; /* length of each stream when vq_peek() measured it */
    u8 *last;     /* the last writable byte when vq_peek() measured it */
};

struct virtio_type {
    u8 id, n_queues, chain;  /* chain: most descriptors of one chain */
    u16 config, config_size; /* the configuration space: offset from struct virtio, and size */
    u64 features;
    /* Serve the queue until it is empty or the device's budget is used up; the guest then repeats the notification. */
    void (*notify)(struct virtio *v, struct virtq *q);
    void (*reset)(struct virtio *v); /* may be NULL */
};

struct virtio {
    struct vdev dev;
    const struct virtio_type *type;
    const struct guest_memory *mem;
    struct spinlock *shared; /* NULL but for network devices */
    u64 features;            /* features that the driver accepted */
    u32 device_select, driver_select, queue_select;
    s32 budget; /* of this exit */
    u8 status, interrupts;
    struct virtq queue[2];
};

void virtio_interrupt(struct virtio *v, u8 why);
/* The driver broke the rules: stop serving it until it resets the device (virtio 1.2, 2.1.2). */
void virtio_break(struct virtio *v);
static inline bool virtio_running(const struct virtio *v)
{
    return (v->status & (VIRTIO_DRIVER_OK | VIRTIO_NEEDS_RESET)) == VIRTIO_DRIVER_OK;
}

/* --- queue.c --------------------------------------------------------------------------------------- */

/* Bind the queue to the driver's three addresses. Returns false if they are not aligned or not in RAM. */
bool vq_enable(struct virtq *q, struct virtio *device);
/* Find the next available chain without removing it, and measure it if no earlier exit has. *budget is charged for this
 * and for all use of the chain. Returns false if the budget is used up, or too small to begin a chain and then made 0,
 * if there is no chain, or if it is malformed (the device is then broken). */
bool vq_peek(struct virtq *q, s32 *budget);
void vq_rewind(struct virtq *q);
/* Return up to *n contiguous bytes of the stream; *n becomes their number. NULL at its end. Not charged. */
void *vq_segment(struct virtq *q, enum vq_stream stream, u32 *n);
/* Copy n bytes from (VQ_READ) or to (VQ_WRITE) the stream; buf NULL: skip them. Returns the number of bytes, less
 * than n at the end of the stream. */
u64 vq_move(struct virtq *q, void *buf, u64 n, enum vq_stream stream);
static inline u64 vq_read(struct virtq *q, void *dst, u64 n) { return vq_move(q, dst, n, VQ_READ); }
static inline u64 vq_write(struct virtq *q, const void *src, u64 n) { return vq_move(q, (void *)src, n, VQ_WRITE); }
/* Return the chain to the driver with `written` bytes, and interrupt the driver if it wants that. */
void vq_complete(struct virtq *q, u32 written);

/* --- the device types ------------------------------------------------------------------------------ */
/* Initialize a device in a cleared page, at least its `type`. Returns 0 or -errno. Only when a domain is created. */
int virtio_console_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);
int virtio_block_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);
int split_block_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);
int virtio_net_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);
int virtio_rng_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);

#endif
