/* SPDX-License-Identifier: MIT */
/* area_none.c - without CONFIG_DRIVER and CONFIG_IPCM a guest has only its own memory. */
#include "mmu.h"

bool mmu_add_area(struct vm *vm, u32 gpa, u32 size, u32 hpa, u32 lo)
{
    vm->areas[0] = (struct vm_area){ gpa, size, hpa, lo };
    return true;
}

const struct vm_area *area_of(struct vm *vm, u32 gpa) { return gpa < vm->size ? vm->areas : NULL; }
