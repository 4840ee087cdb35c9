/* SPDX-License-Identifier: MIT */
/*
 * pm.c - power: the ACPI fixed registers (ACPI 6.4, 4.8.3) and the old ways to reset a PC.
 *
 * There is no SMI and no legacy mode: SCI_EN always reads as set. The fixed events (button, global lock, clock) can be
 * enabled, because Linux calls hardware broken whose bit does not stay; they never occur, no status bit is set and no
 * SCI raised. The PM timer has 32 bits; its overflow is not signalled. Behind the PCI configuration ports is only a
 * host bridge, because Linux calls a machine without one fatal. The keyboard controller (8042) has no keyboard: it
 * pulses the reset line, passes its self-test and has the output port, by which kernels open A20. A20 is always open.
 */
#include <bytes.h>
#include <string.h>
#include "pc_devices.h"

#define PM_TIMER_HZ 3579545ul

/* Register numbers of the three port ranges; PCI configuration is mechanism 1. */
enum {
    PCI_ADDRESS = offsetof(struct pm_registers, pci_address),
    RESET,
    STATUS_64 = PCI_ADDRESS + 8,
    CONTROL_A,
    DATA_60
};
enum { ANSWER = 1, PASSED = 4, UNLOCKED = 0x10 }; /* status of the keyboard controller */
enum { READ_OUTPUT = 0xd0, WRITE_OUTPUT = 0xd1, SELF_TEST = 0xaa };
#define OUTPUT_PORT 0xcf /* A20, and no reset */
#define A20         2    /* of port 92h; bit 0 is the reset */
#define EVENTS      (1u << 10 | 1u << 8 | 1u << 5)
#define SCI_EN      1u
#define SLP_TYP     (7u << 10)
#define SLP_EN      (1u << 13)
#define S5          (5u << 10)

/* Write ACPI registers at any width and offset: first as memory, then act on the result. */
static void write_acpi(struct pm *p, u32 offset, unsigned size, u64 value)
{
    memcpy((u8 *)&p->reg + offset, &value, size);
    bool off = (p->reg.control & (SLP_TYP | SLP_EN)) == (S5 | SLP_EN);
    p->reg.status = 0;
    p->reg.enable &= EVENTS;
    p->reg.control = SCI_EN;
    if (off)
        vm_power_off(p->dev.vm);
}

/* Read configuration space. Bus 0 has the host bridge as device 0. */
static u32 pci_read(u32 address)
{
    if ((address & ~0xffu) != 1u << 31)
        return ~0u; /* no such function */
    switch (address & 0xfc) {
    case 0: return 0x00081b36; /* a generic PCI host bridge */
    case 8: return 0x06000000; /* class: host bridge */
    default: return 0;
    }
}

static u64 pm_read(struct vdev *d, u32 offset, unsigned size)
{
    struct pm *p = container_of(d, struct pm, dev);
    if (offset - PCI_ADDRESS < 4 && (offset != PCI_ADDRESS || size != 4))
        return -1ul; /* the address can only be read as a whole */
    p->reg.timer = mul_div(time_now(), PM_TIMER_HZ, time_hz);
    p->reg.pci_data = pci_read(p->reg.pci_address);
    if (offset == DATA_60)
        p->reg.status64 &= ~ANSWER;
    return get64((u8 *)&p->reg + offset);
}

/* Ports 64h and 60h. A reset is a pulse on bit 0 of the output port: by the commands F0h to FEh, or by writing it. */
static void write_keyboard(struct pm *p, u32 offset, u8 v)
{
    bool command = offset == STATUS_64;
    if (command ? (v & 0xf1) == 0xf0 : p->command64 == WRITE_OUTPUT && !(v & 1))
        vm_reset(p->dev.vm, "keyboard controller");
    p->command64 = command ? v : 0;
    if (command && (v == SELF_TEST || v == READ_OUTPUT)) {
        p->reg.data60 = v == SELF_TEST ? 0x55 : OUTPUT_PORT;
        p->reg.status64 |= ANSWER;
    }
}

/* A 32-bit write of the PCI address never resets, whatever its bytes. */
static void pm_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct pm *p = container_of(d, struct pm, dev);
    if (offset < PCI_ADDRESS)
        write_acpi(p, offset, size, value);
    else if (offset == PCI_ADDRESS && size == 4)
        p->reg.pci_address = value;
    else if (offset == RESET && (value & 4))
        vm_reset(d->vm, "reset control register");
    else if (offset == CONTROL_A && (value & 1))
        vm_reset(d->vm, "port 92h");
    else if (offset == STATUS_64 || offset == DATA_60)
        write_keyboard(p, offset, (u8)value);
}

static void pm_reset(struct vdev *d)
{
    struct pm *p = container_of(d, struct pm, dev);
    p->reg = (struct pm_registers){ .control = SCI_EN, .status64 = PASSED | UNLOCKED, .control_a = A20 };
    p->command64 = 0;
}

PC_DEVICE(pm, .ops = { "pm", pm_read, pm_write, pm_reset, 8 }, .at = offsetof(struct pc_devices, pm),
          .ports = { { 0x600, PCI_ADDRESS }, { 0xcf8, 8 }, { 0x64, 1 }, { 0x92, 1 }, { 0x60, 1 } });
