/* SPDX-License-Identifier: MIT */
/* slots.c - where virtio devices may be, as the device tree says, which has them in any order. */
#include <arch/boot.h>

static struct machine_slot slots[MACHINE_SLOTS];
static u32 n_slots;

__init_text void slot_take(paddr_t at, u32 irq)
{
    u32 i = n_slots;
    if (!at || i == MACHINE_SLOTS)
        return;
    for (n_slots++; i && slots[i - 1].at > at; i--)
        slots[i] = slots[i - 1];
    slots[i] = (struct machine_slot){ at, irq };
}

__init_text u32 machine_slots(const struct machine_slot **list)
{
    *list = slots;
    return n_slots;
}
