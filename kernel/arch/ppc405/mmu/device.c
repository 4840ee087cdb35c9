/* SPDX-License-Identifier: MIT */
/* device.c - pages of virtual devices in the shadow TLB. device.S serves a serial driver's frequent accesses. */
#include "mmu.h"
#include <arch/deliver.h>
#include <arch/devices.h>
#include <partition/partition.h>

/*
 * Serve an access to a device, if the TLB has its page. Returns false if the address has to be looked up.
 *
 * A page that is not memory is put into the TLB without any access, so the next access is a zone fault. The entry tells
 * where the page is, and its WR bit whether privileged mode may store. So an access in a driver's loop on a status
 * register is not translated each time.
 */
static bool device(struct vm *vm, u32 ea, u32 need)
{
    u32 slot = (u32)hw_tlb_search(ea), lo = hw_tlb_lo(slot), gpa = (lo & page_mask(1)) | (ea & ~page_mask(1));
    if (need & ~lo)
        return false;
    if (area_of(vm, gpa)) /* a tunnel has been created there */
        hw_tlb_drop(slot);
    else
        mmio(vm, gpa, ea);
    return true;
}

void show_device(struct vm *vm, u32 pid, u32 ea, const struct view *v)
{
    u32 writable = v->lo & TLBLO_WR || (v->lo >> 4 & 3) > ZONE_PLAIN ? TLBLO_WR : 0;
    if (hw_tlb_search(vm->ctx.pc) == mmu_next_slot % HW_TLB)
        mmu_next_slot++; /* mmio() reads the instruction through its entry */
    mmu_put(pid, ea, 1, (v->gpa & page_mask(1)) | TLBLO_ZSEL(ZONE_DEVICE) | writable);
}

bool device_fault(struct vm *vm, u32 *vector, u32 ea, u32 need, u32 *esr)
{
    if (*vector >= VEC_DTLB || !(*esr & ESR_DIZ))
        return false;
    /* in privileged mode ZONE_DEVICE is the only zone without access */
    if (*vector == VEC_DSI && hw_zpr() == ZPR_PRIVILEGED && device(vm, ea, need))
        return true;
    *vector += VEC_DTLB - VEC_DSI;
    *esr &= ~ESR_DIZ;
    return false;
}
