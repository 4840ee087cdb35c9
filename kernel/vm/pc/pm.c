/* SPDX-License-Identifier: MIT */
/*
 * pm.c - power: the ACPI fixed registers (ACPI 6.4, 4.8.3) and the two old ways to reset a PC.
 *
 * There is no SMI and no legacy mode: SCI_EN always reads as set. The fixed events (button, global lock, clock) can be
 * enabled, because Linux calls hardware broken whose bit does not stay; they never occur, no status bit is set and no
 * SCI raised. The PM timer has 32 bits; its overflow is not signalled. Behind the PCI configuration ports is only a
 * host bridge, because Linux calls a machine without one fatal. The keyboard controller only pulses the reset line.
 */
#include <bytes.h>
#include <string.h>
#include "pc_devices.h"

#define PM_TIMER_HZ 3579545ul

/* Register numbers of the three port ranges; PCI configuration is mechanism 1. */
enum { PCI_ADDRESS = offsetof(struct pm_registers, pci_address), RESET, KEYBOARD = PCI_ADDRESS + 8 };
#define EVENTS  (1u << 10 | 1u << 8 | 1u << 5)
#define SCI_EN  1u
#define SLP_TYP (7u << 10)
#define SLP_EN  (1u << 13)
#define S5      (5u << 10)

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
    return get64((u8 *)&p->reg + offset);
}

/* A 32-bit write of the PCI address never resets, whatever its bytes. */
static void pm_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct pm *p = container_of(d, struct pm, dev);
    if (offset < PCI_ADDRESS)
        write_acpi(p, offset, size, value);
    else if (offset == PCI_ADDRESS && size == 4)
        p->reg.pci_address = value;
    else if (offset == RESET && size == 1 && (value & 4))
        vm_reset(d->vm, "reset control register");
    else if (offset == KEYBOARD && value == 0xfe)
        vm_reset(d->vm, "keyboard controller");
}

static void pm_reset(struct vdev *d)
{
    struct pm *p = container_of(d, struct pm, dev);
    p->reg = (struct pm_registers){ .control = SCI_EN };
}

const struct pc_part pm_part = { { "pm", pm_read, pm_write, pm_reset },
                                 offsetof(struct pc_devices, pm),
                                 { { 0x600, PCI_ADDRESS }, { 0xcf8, 8 }, { 0x64, 1 } },
                                 NULL };
