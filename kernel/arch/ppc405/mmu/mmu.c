/* SPDX-License-Identifier: MIT */
/*
 * mmu.c - resets the guest's MMU, and handles an access that the hardware's TLB does not permit (docs/shadow-tlb.md).
 *
 * The result is a shadow of the guest's page, an exception of the guest, or an access to a device.
 */
#include "mmu.h"
#include <arch/deliver.h>
#include <arch/devices.h>
#include <arch/previrt.h>
#include <partition/partition.h>
#include <wcet.h>

/* Replaced by optional parts. Without device.c, pages of devices are not in the TLB. Without CONFIG_IRFM no guest
 * sees its registers. Without CONFIG_PREVIRT there are no stubs; with CONFIG_FAST previrt_call.S serves their stores.
 */
__optional bool device_fault(struct vm *vm, u32 *vector, u32 ea, u32 need, u32 *esr) { return false; }
__optional void show_device(struct vm *vm, u32 pid, u32 ea, const struct view *v) {}
__optional u32 register_page(struct vm *vm, u32 ea) { return 0; }
__optional u32 previrt_page(struct vm *vm, u32 ea) { return 0; }
__optional bool previrt_store(struct vm *vm, u32 ea) { return false; }

void mmu_reset(struct vm *vm)
{
    mmu_add_area(vm, 0, vm->size, vm->base, TLBLO_EX | TLBLO_WR);
    for (u32 mode = MODE_REAL; mode < MODE_TRANSLATED; mode++) {
        LOOP_BOUND(MODE_TRANSLATED - MODE_REAL);
        vm->space_pid[mode] = SPACE_REAL + mode;
    }
    vm->mode_zpr[0] = ZPR_PRIVILEGED;
    vm->mode_zpr[1] = ZPR_PROBLEM;
    tlb_reset(vm);
}

void mmu_fault(struct vm *vm, u32 vector, u32 ea, u32 esr)
{
    u32 need = vector == VEC_ITLB || vector == VEC_ISI ? TLBLO_EX : esr >> 15 & TLBLO_WR; /* ESR[DST] */
    u32 pid = hw_pid(), mode = mode_of(pid), page = register_page(vm, ea);
    struct view v = REAL_VIEW(ea);

    if (!page && (device_fault(vm, &vector, ea, need, &esr) || (vector == VEC_DTLB && previrt_store(vm, ea))))
        return;
    if (vector >= VEC_DTLB) {
        if (page) {
            mmu_put(pid, ea, 1, page | TLBLO_ZSEL(mode == MODE_REAL ? ZONE_PLAIN : ZONE_OWNER));
            return;
        }
        vector = mode == MODE_REAL ? 0 : translated_view(vm, mode, ea, need, &esr, &v);
    } else if (!page && mode != MODE_REAL && (mode != MODE_TRANSLATED || previrt_page(vm, ea)))
        /* the entry may be made for the other side, or for the stubs */
        vector = translated_view(vm, mode, ea, need, &esr, &v);

    if (!vector && !fill(vm, pid, ea, &v)) {
        if (need == TLBLO_EX)
            fault_event(vm, VEC_ITLB, ea);
        else if (!((ea ^ vm->ctx.pc) & page_mask(1))) /* for one side only, and the instruction's own page */
            fault_event(vm, EVENT_TLB_MIXED, ea);
        else {
            show_device(vm, pid, ea, &v);
            mmio(vm, v.gpa, ea);
        }
    } else if (vector > REFUSED) {
        if (need == TLBLO_EX) {
            page = mode == MODE_TRANSLATED && hw_zpr() == ZPR_PRIVILEGED ? previrt_page(vm, ea) : 0;
            if (page)
                mmu_put(pid, ea, 1, page);
            else
                deliver_instruction(vm, vector, esr);
        } else
            deliver_data(vm, vector, ea, esr);
    }
}
