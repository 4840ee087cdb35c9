/* SPDX-License-Identifier: MIT */
/*
 * vm/vdev.h - the seam between the machine that runs a guest and the devices that
 * it sees.  A virtual device embeds a `struct vdev`, claims register ranges, and is
 * called with accesses that a guest made there.
 *
 * The dispatcher (vm/io.c) takes vdev->lock with interrupts off around read, write
 * and reset; a device takes it itself in its timers and back-end callbacks.
 * Offsets and sizes come from the guest: size is 1, 2, 4 or 8, offset + size never
 * exceeds the claimed range, alignment is not promised.
 *
 * A device bounds what one access may cost.  When a write starts more work than that
 * it sets `again`: the dispatcher then clears it and does not step over the guest's
 * instruction, so the guest executes it again and the kernel takes its interrupts in
 * between.  What was finished so far is the device's to remember.
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
    void (*reset)(struct vdev *d); /* back to power-on; also cancels its timers */
};

struct vdev {
    const struct vdev_ops *ops;
    struct vm *vm;
    struct spinlock lock;
    u32 id;     /* device's own use */
    u32 gsi;    /* interrupt input, device's own use */
    u32 size;   /* of all ranges that it has claimed */
    bool again; /* set by write: not finished, let the guest repeat the access */
};

/* Claim; -ENOSPC when the table is full, -EEXIST on overlap. A further range's registers are numbered on from the last
 * one's. Domain creation only. */
int vm_claim_pio(struct vm *vm, u16 port, u16 count, struct vdev *d);
int vm_claim_mmio(struct vm *vm, gpa_t gpa, u32 size, struct vdev *d);

/* Drive input `gsi` of the guest's interrupt controllers. Any context. */
void vm_irq_line(struct vm *vm, unsigned gsi, bool level);
/* Rising edge. */
static inline void vm_irq_pulse(struct vm *vm, unsigned gsi)
{
    vm_irq_line(vm, gsi, true);
    vm_irq_line(vm, gsi, false);
}

/* The virtio console has input: wake vCPU 0 to call virtio_console_resume(). Any context. */
void vm_await_input(struct vm *vm);
void virtio_console_resume(struct vm *vm);

/* A VM's devices: embedded in struct vm, zero at creation, filled by the creators. */
#define VM_DEVICE_PAGES 12 /* two for the machine's own, and one a device of the table */

struct vm_devs {
    struct virtio_console *console;
    void *page[VM_DEVICE_PAGES]; /* of vm_device_alloc() */
    unsigned n_pages;
};
struct vm_devs *vm_devs(struct vm *vm);
/* A cleared page for a device, which the VM frees when it is destroyed. NULL: no memory. Domain creation only. */
void *vm_device_alloc(struct vm *vm);

const struct guest_memory *vm_memory(struct vm *vm);
/* Bytes to this guest's console source. */
void vm_console_write(struct vm *vm, const char *text, size_t len);
/* The guest asked for it through a device; takes effect when its vCPUs next leave the guest. */
void vm_power_off(struct vm *vm);
void vm_reset(struct vm *vm, const char *why);
/* --- virtio devices, created once a VM; conf from the system table ---------------------------------- */
struct sys_device;
struct sys_header;

int virtio_create(struct vm *vm, const struct sys_device *conf,
                  const struct sys_header *sys);   /* console, block, net, rng */
bool virtio_console_input(struct vm *vm, u8 byte); /* false: no virtio console that a driver runs */
void vm_devices_reset(struct vm *vm);              /* every claimed device once (vm/io.c) */
/* Its network devices leave their switches (vm/virtio/switch.c). No vCPU of the switches' ports runs. */
void net_switch_leave(struct vm *vm);

#endif
