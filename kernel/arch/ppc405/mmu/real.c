/* SPDX-License-Identifier: MIT */
/*
 * real.c - replaces mmu.c, shadow.c and tlb.c without CONFIG_TLBV.
 *
 * Guests run in real mode, and a guest that turns translation on is stopped. The hardware's entries map its memory,
 * with pages as large as alignment permits.
 */
#include "mmu.h"
#include <arch/deliver.h>
#include <arch/devices.h>
#include <partition/partition.h>
#include <wcet.h>

__optional u32 register_page(struct vm *vm, u32 ea) { return 0; } /* without CONFIG_IRFM */

static u8 next_slot;

void mmu_init(void) { hw_tlb_clear(); }
void mmu_switch(struct vm *vm) { hw_tlb_clear(); }

void mmu_reset(struct vm *vm)
{
    mmu_add_area(vm, 0, vm->size, vm->base, TLBLO_EX | TLBLO_WR);
    vm->space_pid[MODE_REAL] = SPACE_REAL;
    vm->space_pid[MODE_DATA] = vm->space_pid[MODE_INSTRUCTIONS] = vm->space_pid[MODE_TRANSLATED] =
        SPACE_MIXED; /* empty */
    vm->mode_zpr[0] = ZPR_PRIVILEGED;
    vm->mode_zpr[1] = ZPR_PROBLEM;
}

static void put(u32 ea, u32 size, u32 lo)
{
    hw_set_pid(SPACE_REAL);
    hw_tlb_write(next_slot++ % HW_TLB, (ea & page_mask(size)) | TLBHI_SIZE(size) | TLBHI_V,
                 lo & (page_mask(size) | 0x3ff));
}

static void show(const struct vm_area *a, u32 ea)
{
    u32 size, offset = ea - a->gpa, low;
    for (size = 7; size > 1; size--) {
        LOOP_BOUND(7);
        low = ~page_mask(size);
        if ((offset | low) < a->size && !((a->hpa - a->gpa) & low) && (ea | low) != ~0u) /* the last page is irfm.c's */
            break;
    }
    put(ea, size, ((a->hpa + offset) & page_mask(1)) | a->lo | TLBLO_ZSEL(ZONE_PLAIN));
}

void mmu_fault(struct vm *vm, u32 vector, u32 ea, u32 esr)
{
    bool instruction = vector == VEC_ITLB || vector == VEC_ISI;
    const struct vm_area *a = area_of(vm, ea);
    u32 page = register_page(vm, ea);

    if (hw_pid() != SPACE_REAL)
        partition_event(vm, PT_ON_FAULT, EVENT_TLB_NONE, ea);
    else if (vector == VEC_ISI)
        deliver_instruction(vm, vector, esr);
    else if (vector == VEC_DSI)
        deliver_data(vm, vector, ea, esr);
    else if (page)
        put(ea, 1, page | TLBLO_ZSEL(ZONE_PLAIN));
    else if (a)
        show(a, ea);
    else if (instruction)
        partition_event(vm, PT_ON_FAULT, VEC_ITLB, ea);
    else
        mmio(vm, ea, ea);
}

void mmu_set_pid(struct vm *vm, u32 value) { regs_of(vm)->pid = value & 0xff; }
void mmu_set_zpr(struct vm *vm, u32 value) { regs_of(vm)->zpr = value; }
void guest_tlbwe(struct vm *vm, u32 index, u32 ws, u32 value) {}
u32 guest_tlbre(struct vm *vm, u32 index, u32 ws) { return 0; }
int guest_tlbsx(struct vm *vm, u32 ea) { return -1; }
void guest_tlbia(struct vm *vm) {}
