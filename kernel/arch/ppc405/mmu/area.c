/* SPDX-License-Identifier: MIT */
/* area.c - finds a guest's memory: its own, and lent memory (devices, tunnels). */
#include "mmu.h"
#include <wcet.h>

bool mmu_add_area(struct vm *vm, u32 gpa, u32 size, u32 hpa, u32 lo)
{
    struct vm_area *a = vm->areas;
    for (; a->size; a++) {
        LOOP_BOUND(VM_AREAS);
        if (a == vm->areas + VM_AREAS - 2)
            return false;
    }
    *a = (struct vm_area){ gpa, size, hpa, lo };
    return true;
}

const struct vm_area *area_of(struct vm *vm, u32 gpa)
{
    for (const struct vm_area *a = vm->areas; a->size | a->gpa; a++) { /* the last one is never in use */
        LOOP_BOUND(VM_AREAS);
        if (gpa - a->gpa < a->size)
            return a;
    }
    return NULL;
}
