/* SPDX-License-Identifier: MIT */
/*
 * vm/vdev.h - the contract between the machine that runs a guest and its virtual devices. A device embeds a `struct
 * vdev`, claims ranges of registers, and is called for the guest's accesses to them.
 *
 * The dispatcher (vm/io.c) holds vdev->lock with interrupts off around read, write and reset. A device takes the lock
 * itself in its timers and its back end's callbacks. Offsets and sizes come from the guest: size is 1, 2, 4 or 8 and at
 * most the device's width, offset + size is within the claimed range, the access may be unaligned. A wider access
 * reaches the device in parts of its width, the lowest address first, as a bus would split it.
 *
 * A device bounds the work of one access. If a write starts more, the device sets `again`. The dispatcher then clears
 * `again` and does not step over the guest's instruction, so the guest executes the instruction again, and the kernel
 * takes its interrupts in between. The device remembers how much it has finished. Of an access in parts all are
 * repeated, so such a device sets `again` for its first register only.
 */
#ifndef AMALGAM_VM_VDEV_H
#define AMALGAM_VM_VDEV_H

#include <core/lock.h>
#include <types.h>
#include <vm/guest_memory.h>

struct vm;
struct vdev;

struct vdev_ops {
    const char *name;
    u64 (*read)(struct vdev *d, u32 offset, unsigned size);
    void (*write)(struct vdev *d, u32 offset, unsigned size, u64 value);
    void (*reset)(struct vdev *d); /* to the power-on state; also cancels the device's timers */
    u8 width;                      /* bytes that it takes at once: 1, 2, 4, 8 */
};

struct vdev {
    const struct vdev_ops *ops;
    struct vm *vm;
    struct spinlock lock;
    u32 id;     /* for the device's own use */
    u32 gsi;    /* interrupt input, for the device's own use */
    u32 size;   /* sum of its claimed ranges */
    bool again; /* set by write: not finished, the guest is to repeat the access */
};

/* Claim a range of registers. The registers of a further range get the offsets behind the last one's. Returns 0,
 * -ENOSPC if the table is full, -EEXIST if it overlaps. Only when a domain is created. */
int vm_claim_pio(struct vm *vm, u16 port, u16 count, struct vdev *d);
int vm_claim_mmio(struct vm *vm, gpa_t gpa, u32 size, struct vdev *d);

/* Set the level of input `gsi` of the guest's interrupt controllers. Any context. */
void vm_irq_line(struct vm *vm, unsigned gsi, bool level);
/* Make a rising edge. */
static inline void vm_irq_pulse(struct vm *vm, unsigned gsi)
{
    vm_irq_line(vm, gsi, true);
    vm_irq_line(vm, gsi, false);
}

/* The virtio console has input: let vCPU 0 call virtio_console_resume(). Any context. */
void vm_request_input(struct vm *vm);
/* Hand input to the guest. Returns false if some may be left, since the budget of one call has ended or another vCPU
 * has the device: call it again, with interrupts on in between. Interrupts must be off. */
bool virtio_console_resume(struct vm *vm);

/* A VM's devices: in struct vm, zero at creation, filled in as devices are created. */
#define VM_DEVICE_PAGES 12 /* two for the machine, and one for each device of the table */

struct vm_devs {
    struct virtio_console *console;
    void *page[VM_DEVICE_PAGES]; /* returned by vm_device_alloc() */
    unsigned n_pages;
};
struct vm_devs *vm_devs(struct vm *vm);
/* Allocate a cleared page for a device; the VM frees it when it is destroyed. NULL: no memory. Only when a domain is
 * created. */
void *vm_device_alloc(struct vm *vm);

const struct guest_memory *vm_memory(struct vm *vm);
/* Write to this guest's console, all of the text or as console_offer() does. */
void vm_console_write(struct vm *vm, const char *text, size_t len);
size_t vm_console_offer(struct vm *vm, const char *text, size_t len);
/* The guest asked for power-off / reset through a device. It takes effect when its vCPUs next leave the guest. */
void vm_power_off(struct vm *vm);
void vm_reset(struct vm *vm, const char *why);
/* --- virtio devices, created once for each VM from the system table's entry `conf` -------------------- */
struct sys_device;
struct sys_header;

int virtio_create(struct vm *vm, const struct sys_device *conf,
                  const struct sys_header *sys);   /* console, block, net, rng */
bool virtio_console_input(struct vm *vm, u8 byte); /* false: no virtio console with a running driver */
void vm_devices_reset(struct vm *vm);              /* reset each claimed device once (vm/io.c) */

#endif
