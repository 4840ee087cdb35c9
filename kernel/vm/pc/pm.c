/* SPDX-License-Identifier: MIT */
/*
 * pm.c - power: the ACPI fixed registers (ACPI 6.4, 4.8.3) and the two old ways to
 * reset a PC.
 *
 * There is no SMI and no legacy mode: SCI_EN always reads as set.  The fixed events
 * (button, global lock, clock) can be enabled, because Linux takes a bit that does not
 * stay for broken hardware, and never come: no status bit is ever set, no SCI raised.
 * The PM timer has 32 bits and its overflow is not signalled.  Behind the PCI
 * configuration ports is a host bridge and nothing else: Linux calls a machine
 * without any fatal.  The keyboard controller is only there to pulse the reset line.
 */
#include "pc_devices.h"

#define PM_TIMER_HZ 3579545ul
#define NS          1000000000ul

enum { PM1_ENABLE = 2, PM1_CONTROL = 4, PM_TIMER = 8, PM_END = 12 };
#define EVENTS     (1u << 10 | 1u << 8 | 1u << 5)
#define SCI_EN     1u
#define SLP_TYP(v) ((v) >> 10 & 7)
#define SLP_EN     (1u << 13)
#define S5         5

static u32 pm_timer(void)
{
    u64 ns = time_to_ns(time_now());
    return ns / NS * PM_TIMER_HZ + ns % NS * PM_TIMER_HZ / NS;
}

/* Any width at any place: the registers are laid out as the little-endian bytes that they are. */
static u64 acpi_read(struct vdev *d, u32 offset, unsigned size)
{
    struct pm *p = container_of(d, struct pm, acpi);
    u64 low = (u32)p->enable << 16 | (u64)SCI_EN << 32, timer = pm_timer();
    if (offset >= PM_TIMER)
        return timer >> (offset - PM_TIMER) * 8;
    return low >> offset * 8 | (offset ? timer << (8 - offset) * 8 : 0);
}

static void acpi_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct pm *p = container_of(d, struct pm, acpi);
    for (unsigned i = offset; i < offset + size; i++, value >>= 8) {
        u8 v = value;
        if (i == PM1_ENABLE)
            p->enable = (p->enable & 0xff00) | (v & EVENTS);
        else if (i == PM1_ENABLE + 1)
            p->enable = (p->enable & 0xff) | (v << 8 & EVENTS);
        else if (i == PM1_CONTROL + 1 && (v << 8 & SLP_EN) && SLP_TYP(v << 8) == S5)
            vm_power_off(d->vm);
    }
}

static void acpi_reset(struct vdev *d) { container_of(d, struct pm, acpi)->enable = 0; }

static const struct vdev_ops acpi_ops = { "pm", acpi_read, acpi_write, acpi_reset };

/* Ports cf8h-cffh: PCI configuration mechanism 1, whose bus 0 has the host bridge as device 0, and the reset control at
 * cf9h. */
static u32 pci_read(u32 address)
{
    if (!(address & 1u << 31) || address << 1 >> 9)
        return ~0u; /* nobody there */
    switch (address & 0xfc) {
    case 0: return 0x00081b36; /* a generic PCI host bridge */
    case 8: return 0x06000000; /* class: host bridge */
    default: return 0;
    }
}

static u64 reset_read(struct vdev *d, u32 offset, unsigned size)
{
    const struct pm *p = container_of(d, struct pm, reset);
    return offset >= 4 ? pci_read(p->pci) >> (offset - 4) * 8 : size == 4 && !offset ? p->pci : -1ul;
}

static void reset_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    if (offset == 0 && size == 4)
        container_of(d, struct pm, reset)->pci = value;
    else if (offset == 1 && size == 1 && (value & 4))
        vm_reset(d->vm, "reset control register");
}

static void reset_reset(struct vdev *d) { container_of(d, struct pm, reset)->pci = 0; }

static const struct vdev_ops reset_ops = { "reset", reset_read, reset_write, reset_reset };

/* Port 64h: status reads as "input buffer empty", so that nobody waits. */
static u64 keyboard_read(struct vdev *d, u32 offset, unsigned size) { return 0; }

static void keyboard_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    if ((u8)value == 0xfe)
        vm_reset(d->vm, "keyboard controller");
}

static void no_state(struct vdev *d) {}

static const struct vdev_ops keyboard_ops = { "keyboard", keyboard_read, keyboard_write, no_state };

__init_text int pm_create(struct vm *vm, struct pm *p)
{
    p->acpi = (struct vdev){ .ops = &acpi_ops, .vm = vm };
    p->reset = (struct vdev){ .ops = &reset_ops, .vm = vm };
    p->keyboard = (struct vdev){ .ops = &keyboard_ops, .vm = vm };
    int err = vm_claim_pio(vm, 0x600, PM_END, &p->acpi);
    if (!err)
        err = vm_claim_pio(vm, 0xcf8, 8, &p->reset);
    return err ? err : vm_claim_pio(vm, 0x64, 1, &p->keyboard);
}
