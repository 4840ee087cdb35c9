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

/* Drive input `gsi` of the guest's interrupt controllers (GSI 0-15 also i8259; 0, the PIT, is input 2 of the IOAPIC).
 * Any context. */
void vm_irq_line(struct vm *vm, unsigned gsi, bool level);
/* Rising edge. */
static inline void vm_irq_pulse(struct vm *vm, unsigned gsi)
{
    vm_irq_line(vm, gsi, true);
    vm_irq_line(vm, gsi, false);
}

/* The 8259 pair's output rose: the vCPU whose LINT0 it drives looks at i8259_pending() before it next enters. Any
 * context. */
void vm_extint(struct vm *vm);

/* The PIT's edge went out: call pit_resume() when a vCPU next comes to run. Any context. */
void vm_await_pit(struct vm *vm);
void pit_resume(struct vm *vm);
/* The virtio console has input: wake vCPU 0 to call virtio_console_resume(). Any context. */
void vm_await_input(struct vm *vm);
void virtio_console_resume(struct vm *vm);

/* Where the functions below find a VM's devices; embedded in struct vm, zero at creation, filled by the creators. */
#define VM_DEVICE_PAGES 12 /* IOAPIC, PC devices, and one a device of the table */

struct vm_devs {
    struct ioapic *ioapic;
    struct pc_devices *pc;
    struct uart *uart; /* the first one gets the console's input */
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
/* Deliver a message-signalled interrupt: the IOAPIC's and IPIs' way into local APICs. `icr` has vector, delivery mode,
 * logical (bit 11), level-triggered (bit 15) and destination (from bit 32) where x2APIC's ICR has them. Any context. */
void vm_apic_message(struct vm *vm, u64 icr);
/* The IOAPIC implements this: local APIC `vector` was ended (level-triggered redirections re-fire). */
void ioapic_eoi(struct vm *vm, unsigned vector);
/* The 8259 pair as vm_irq_line() and the local APIC's LINT0 (virtual wire) see it; irq 2 is the cascade: ignored. Any
 * context. */
void i8259_line(struct vm *vm, unsigned irq, bool level);
bool i8259_pending(struct vm *vm);
/* The interrupt acknowledge cycle: a vector, or -1 when the request went away meanwhile. */
int i8259_ack(struct vm *vm);

/* --- devices, created once a VM (vm/pc/, vm/virtio/); conf from the system table ------------------- */
struct sys_device;
struct sys_header;

int pc_devices_create(struct vm *vm); /* PIT, RTC, i8259, port 61h, PM registers */
int ioapic_create(struct vm *vm);     /* at 0xfec00000, 48 inputs */
void ioapic_line(struct vm *vm, unsigned gsi, bool level);
int uart_create(struct vm *vm, const struct sys_device *conf); /* COM1-4 by conf->slot */
bool uart_open(struct vm *vm);                                 /* a driver waits for input interrupts */
void uart_input(struct vm *vm, u8 byte);                       /* console input; interrupt context */
int virtio_create(struct vm *vm, const struct sys_device *conf,
                  const struct sys_header *sys);   /* console, block, net, rng */
bool virtio_console_input(struct vm *vm, u8 byte); /* false: no virtio console that a driver runs */
void vm_devices_reset(struct vm *vm);              /* every claimed device once (vm/io.c) */
/* Its network devices leave their switches (vm/virtio/switch.c). No vCPU of the switches' ports runs. */
void net_switch_leave(struct vm *vm);

#endif
