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

/* Registers of the three port ranges, numbered through. */
enum { PM1_ENABLE = 2, PM1_CONTROL = 4, PM_TIMER = 8, PM_END = 12 };
enum { PCI_ADDRESS = PM_END, RESET, PCI_DATA = PCI_ADDRESS + 4, KEYBOARD = PCI_ADDRESS + 8 };
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
static u64 read_acpi(const struct pm *p, u32 offset)
{
    u64 low = (u32)p->enable << 16 | (u64)SCI_EN << 32, timer = pm_timer();
    if (offset >= PM_TIMER)
        return timer >> (offset - PM_TIMER) * 8;
    return low >> offset * 8 | (offset ? timer << (8 - offset) * 8 : 0);
}

static void write_acpi(struct pm *p, u32 offset, unsigned size, u64 value)
{
    for (unsigned i = offset; i < offset + size; i++, value >>= 8) {
        u8 v = value;
        if (i == PM1_ENABLE)
            p->enable = (p->enable & 0xff00) | (v & EVENTS);
        else if (i == PM1_ENABLE + 1)
            p->enable = (p->enable & 0xff) | (v << 8 & EVENTS);
        else if (i == PM1_CONTROL + 1 && (v << 8 & SLP_EN) && SLP_TYP(v << 8) == S5)
            vm_power_off(p->dev.vm);
    }
}

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

static u64 pm_read(struct vdev *d, u32 offset, unsigned size)
{
    const struct pm *p = container_of(d, struct pm, dev);
    if (offset < PCI_ADDRESS)
        return read_acpi(p, offset);
    if (offset >= KEYBOARD)
        return 0; /* "input buffer empty", so that nobody waits */
    if (offset >= PCI_DATA)
        return pci_read(p->pci) >> (offset - PCI_DATA) * 8;
    return offset == PCI_ADDRESS && size == 4 ? p->pci : -1ul;
}

static void pm_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct pm *p = container_of(d, struct pm, dev);
    if (offset < PCI_ADDRESS)
        write_acpi(p, offset, size, value);
    else if (offset == PCI_ADDRESS && size == 4)
        p->pci = value;
    else if (offset == RESET && size == 1 && (value & 4))
        vm_reset(d->vm, "reset control register");
    else if (offset == KEYBOARD && (u8)value == 0xfe)
        vm_reset(d->vm, "keyboard controller");
}

static void pm_reset(struct vdev *d)
{
    struct pm *p = container_of(d, struct pm, dev);
    p->enable = 0;
    p->pci = 0;
}

static const struct vdev_ops pm_ops = { "pm", pm_read, pm_write, pm_reset };

__init_text int pm_create(struct vm *vm, struct pm *p)
{
    p->dev = (struct vdev){ .ops = &pm_ops, .vm = vm };
    int err = vm_claim_pio(vm, 0x600, PM_END, &p->dev);
    if (!err)
        err = vm_claim_pio(vm, 0xcf8, 8, &p->dev);
    return err ? err : vm_claim_pio(vm, 0x64, 1, &p->dev);
}
