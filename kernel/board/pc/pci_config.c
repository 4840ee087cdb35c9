/* SPDX-License-Identifier: MIT */
/* pci_config.c - registers of PCI functions by configuration mechanism 1 (PCI 3.0, 3.2.2.3.2): ports CF8 and CFC. */
#include <arch/cpu.h>
#include <core/lock.h>

#include "pci.h"

#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define CONFIG_ENABLE  0x80000000u

static struct spinlock lock; /* of the two ports */

u32 pci_read(u32 place, u32 at)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    outl(CONFIG_ADDRESS, CONFIG_ENABLE | place | at);
    u32 value = inl(CONFIG_DATA);
    spin_unlock_irqrestore(&lock, flags);
    return value;
}

void pci_write(u32 place, u32 at, u32 value)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    outl(CONFIG_ADDRESS, CONFIG_ENABLE | place | at);
    outl(CONFIG_DATA, value);
    spin_unlock_irqrestore(&lock, flags);
}
