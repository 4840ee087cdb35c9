/* SPDX-License-Identifier: MIT */
/*
 * virtio.h - virtio 1.2 devices on the MMIO transport, split virtqueues.
 *
 * mmio.c is the register file that all of them share, queue.c walks the rings, and
 * a device type is a `struct virtio_type` with a notify function.  Everything in a
 * ring is hostile: every descriptor is bounded through guest_ptr() each time it is
 * read, a chain has at most as many descriptors as the queue, and a driver that
 * breaks the rules gets DEVICE_NEEDS_RESET and nothing else until it resets.
 *
 * Locks: a device's state is guarded by its vdev lock, which the dispatcher holds
 * around notify.  A network device is guarded by its switch's lock as well
 * (`shared`), taken inside the vdev lock for every write to its registers; a sender
 * holds the switch's lock alone when it touches a receiver.  So no two vdev locks
 * are ever held together.
 */
#ifndef AMALGAM_VM_VIRTIO_H
#define AMALGAM_VM_VIRTIO_H

#include <core/system_table.h>
#include <vm/vdev.h>

#define VQ_MAX 256
/*
 * What one exit does at most, in bytes copied, eight of which are an instruction; the rest
 * follows when the guest repeats its notification.  A chain costs CHAIN_COST, and DESC_COST
 * for each descriptor each time that it is looked at.  A loop ends when its budget is used
 * up, so it may overdraw by what one chain costs: that is why chains are short, and where they may be longer
 * than CHAIN_SHORT only the first of an exit overdraws.
 */
#define VIRTIO_BUDGET (32 * (s32)KIB)
#define CHAIN_COST    4096
#define DESC_COST     768
#define CHAIN_SHORT   8  /* a frame's: delivering it walks three chains */
#define CHAIN_MAX     30 /* descriptors */

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

/* The streams of a chain: what the device reads, then what it writes. */
enum vq_stream { VQ_READ, VQ_WRITE };

struct virtq {
    u64 addr[3];           /* descriptor table, available ring, used ring as the driver wrote them */
    struct virtio *device; /* as the rest, once it has been ready */
    const struct vring_desc *desc;
    const struct vring_avail *avail;
    struct vring_used *used;
    u64 progress; /* bytes of the next chain that earlier exits dealt with; of a frame: ports that have it */
    u16 num;
    u16 next_avail, next_used;
    bool ready; /* the three pointers are valid for `num` entries */

    /* The chain that vq_get() found, as far as it has been walked. */
    bool more, indirect, write, bad;
    u16 head;
    u16 limit;   /* descriptors that may still come */
    u32 n, next; /* entries of `table`; the next to load */
    const struct vring_desc *table;
    u8 *at; /* what is left of the current descriptor */
    u32 left;
    s32 *budget;  /* who pays */
    u64 bytes[2]; /* of each stream in all, as of vq_get() */
    u8 *last;     /* its last byte that the device writes, as of vq_get() */
};

struct virtio_type {
    u8 id, n_queues, chain;  /* chain: descriptors of one at most */
    u16 config, config_size; /* where the device keeps what its configuration space shows: offset from struct virtio */
    u64 features;
    /* Serve the queue until it is empty or the device's budget used up: the guest then repeats the notification. */
    void (*notify)(struct virtio *v, struct virtq *q);
    void (*reset)(struct virtio *v); /* may be NULL */
};

struct virtio {
    struct vdev dev;
    const struct virtio_type *type;
    const struct guest_memory *mem;
    struct spinlock *shared; /* NULL but for network devices */
    u64 features;            /* what the driver accepted */
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

/* The driver's three addresses are aligned and inside RAM: bind them; false if not. */
bool vq_enable(struct virtq *q, struct virtio *device);
/* Look at the next available chain without taking it, charging *budget for this and for what is done with the chain.
 * False: the budget is used up, there is none, or a malformed one (the device is then broken). A chain that uses up
 * what others left of the budget waits for the next exit, whose first it is, unless all of the device's are short. */
bool vq_get(struct virtq *q, s32 *budget);
void vq_rewind(struct virtq *q);
/* Up to *n contiguous bytes of the stream, *n is set to how many; NULL at its end. Free of charge. */
void *vq_segment(struct virtq *q, enum vq_stream stream, u32 *n);
/* Copy n bytes from (VQ_READ) or to (VQ_WRITE) the stream; buf NULL skips. Returns bytes moved, short at the end. */
u64 vq_move(struct virtq *q, void *buf, u64 n, enum vq_stream stream);
static inline u64 vq_read(struct virtq *q, void *dst, u64 n) { return vq_move(q, dst, n, VQ_READ); }
static inline u64 vq_write(struct virtq *q, const void *src, u64 n) { return vq_move(q, (void *)src, n, VQ_WRITE); }
/* Give the chain back with `written` bytes and interrupt the driver if it wants that. */
void vq_put(struct virtq *q, u32 written);

/* --- the device types ------------------------------------------------------------------------------ */
/* Fill in what is the type's own, `type` for one, in a cleared page; -errno. Domain creation. */
int virtio_console_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);
int virtio_block_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);
int split_block_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);
int virtio_net_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);
int virtio_rng_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys);

#endif
