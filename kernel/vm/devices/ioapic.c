/* SPDX-License-Identifier: MIT */
/*
 * ioapic.c - the I/O APIC (Intel 82093AA, with the EOI register of version 0x20): 48 inputs, each turned into an APIC
 * message by its redirection entry.
 *
 * As in the part, an edge on a masked input is lost. A level is sampled again when the mask is cleared, when the entry
 * changes, and at the end of its interrupt. Remote IRR is kept as one bit map, so that an EOI visits only the inputs
 * that wait for one. A guest may give all inputs one vector and all its vCPUs as the destination, and a message costs
 * some 110 instructions a vCPU. So an EOI only notes which inputs it ended; the vCPU that wrote it samples them one at
 * a time, with interrupts on in between (ioapic_sample).
 *
 * The vdev's lock is the "irqchip" of the lock order. Devices wait for it with interrupts off, so their messages are
 * sent after it was freed; a register's write sends its one message under it.
 */
#include <errors.h>
#include "pc_devices.h"

#define IOAPIC_BASE 0xfec00000
#define N_INPUTS    48
#define VERSION     (0x20 | (N_INPUTS - 1) << 16)
#define PIT_GSI     2
#define RESET_ID    0xf0000000 /* the id that firmware would set: the MADT's (tools/amalgam/system/acpi.py) */

#define RTE_STATUS     (1u << 12) /* delivery status: always idle, as messages are sent at once */
#define RTE_LOW        (1u << 13)
#define RTE_REMOTE_IRR (1u << 14)
#define RTE_LEVEL      (1u << 15)
#define RTE_MASKED     (1u << 16)

struct ioapic {
    struct vdev dev;
    u64 lines;  /* electrical level of the inputs */
    u64 remote; /* remote IRR */
    u64 ended;  /* inputs whose interrupt has ended, and which were not sampled since */
    u32 id;
    u8 select;
    struct rte {
        u32 low, high;
    } entry[N_INPUTS]; /* registers 0x10 on */
};

/* Return the number of the selected half of an entry; from 2 * N_INPUTS on there is none. */
static unsigned selected(const struct ioapic *io) { return io->select - 0x10u; }

static bool active(const struct ioapic *io, unsigned i)
{
    return (io->lines >> i & 1) != !!(io->entry[i].low & RTE_LOW);
}

/* Returns the message that an active, unmasked input sends now: for a level unless it is in service, for an edge if
 * `edge`. 0: none (as a message it would have vector 0, which no APIC accepts). */
static u64 request(struct ioapic *io, unsigned i, bool edge)
{
    u32 e = io->entry[i].low;
    u64 bit = 1ul << i;
    if ((e & RTE_MASKED) || !active(io, i) || (e & RTE_LEVEL ? io->remote & bit : !edge))
        return 0;
    if (e & RTE_LEVEL)
        io->remote |= bit;
    return (u64)(io->entry[i].high >> 24) << 32 | (e & (RTE_LEVEL | 0xfff));
}

static void send(struct ioapic *io, u64 message)
{
    if (message)
        vm_apic_message(io->dev.vm, message);
}

void ioapic_line(struct vm *vm, unsigned gsi, bool level)
{
    struct ioapic *io = pc_parts(vm)->ioapic;
    if (!io || gsi >= N_INPUTS)
        return;
    unsigned long flags = spin_lock_irqsave(&io->dev.lock);
    bool was = active(io, gsi);
    io->lines = (io->lines & ~(1ul << gsi)) | (u64)level << gsi;
    u64 message = request(io, gsi, !was);
    spin_unlock(&io->dev.lock);
    send(io, message);
    irq_restore(flags);
}

static void end_of_interrupt(struct ioapic *io, u8 vector)
{
    for (u64 left = io->remote; left; left &= left - 1) {
        u64 bit = left & -left;
        if ((u8)io->entry[__builtin_ctzl(left)].low == vector) {
            io->remote &= ~bit;
            io->ended |= bit;
        }
    }
}

void ioapic_sample(struct vm *vm)
{
    struct ioapic *io = pc_parts(vm)->ioapic;
    while (io && unlikely(READ_ONCE(io->ended))) {
        u64 message = 0;
        spin_lock_by_tries(&io->dev.lock);
        if (io->ended) {
            message = request(io, __builtin_ctzl(io->ended), false);
            io->ended &= io->ended - 1;
        }
        spin_unlock(&io->dev.lock);
        irq_enable();
        send(io, message);
    }
}

void ioapic_eoi(struct vm *vm, unsigned vector)
{
    struct ioapic *io = pc_parts(vm)->ioapic;
    if (!io)
        return;
    spin_lock_by_tries(&io->dev.lock);
    end_of_interrupt(io, vector);
    spin_unlock(&io->dev.lock);
    irq_enable();
    ioapic_sample(vm);
}

bool ioapic_masked(struct vm *vm, unsigned gsi)
{
    struct ioapic *io = pc_parts(vm)->ioapic;
    return !io || (READ_ONCE(io->entry[gsi].low) & RTE_MASKED);
}

static u32 read_register(const struct ioapic *io)
{
    unsigned half = selected(io), i = half / 2;
    if (half >= 2 * N_INPUTS)
        return io->select == 1 ? VERSION : io->select == 0 || io->select == 2 ? io->id : 0;
    if (half & 1)
        return io->entry[i].high;
    return io->entry[i].low | (io->remote >> i & 1 ? RTE_REMOTE_IRR : 0);
}

static void write_register(struct ioapic *io, u32 v)
{
    unsigned half = selected(io), i = half / 2;
    if (io->select == 0)
        io->id = v & 0xff000000;
    if (half >= 2 * N_INPUTS)
        return;
    if (half & 1) {
        io->entry[i].high = v;
    } else {
        io->entry[i].low = v & 0x1ffff & ~(RTE_STATUS | RTE_REMOTE_IRR);
        if (!(v & RTE_LEVEL))
            io->remote &= ~(1ul << i); /* the documented way to clear a stuck remote IRR */
    }
    send(io, request(io, i, false));
    if (i == PIT_GSI && !(io->entry[i].low & RTE_MASKED))
        pit_wake(io->dev.vm);
}

static u64 ioapic_read(struct vdev *d, u32 offset, unsigned size)
{
    struct ioapic *io = container_of(d, struct ioapic, dev);
    return offset == 0 ? io->select : offset == 0x10 ? read_register(io) : 0;
}

static void ioapic_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct ioapic *io = container_of(d, struct ioapic, dev);
    if (offset == 0)
        io->select = value;
    else if (offset == 0x10)
        write_register(io, value);
    else if (offset == 0x40)
        end_of_interrupt(io, value);
}

static void ioapic_reset(struct vdev *d)
{
    struct ioapic *io = container_of(d, struct ioapic, dev);
    for (unsigned i = 0; i < N_INPUTS; i++)
        io->entry[i] = (struct rte){ .low = RTE_MASKED };
    io->remote = io->ended = 0;
    io->id = RESET_ID;
    io->select = 0;
}

static const struct vdev_ops ioapic_ops = { "ioapic", ioapic_read, ioapic_write, ioapic_reset, 4 };

__init_text int ioapic_create(struct vm *vm)
{
    struct ioapic *io = vm_device_alloc(vm);
    if (!io)
        return -ENOMEM;
    io->dev.ops = &ioapic_ops;
    io->dev.vm = vm;
    ioapic_reset(&io->dev);
    pc_parts(vm)->ioapic = io;
    return vm_claim_mmio(vm, IOAPIC_BASE, PAGE_SIZE, &io->dev);
}
