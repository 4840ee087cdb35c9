/* SPDX-License-Identifier: MIT */
/*
 * mmu.c - shadows: the guest's address spaces on the hardware TLB (docs/shadow-tlb.md).
 *
 * A hardware entry is a copy of what the guest's state says of a page, with the host's address and
 * the guest's own rights, so that the hardware itself decides about an access and what it
 * reports as a storage exception (not as a miss) is the guest's, word for word.
 * Entries are made on a miss, round robin, as large as alignment and memory allow.
 */
#include "mmu.h"
#include <arch/deliver.h>
#include <arch/devices.h>
#include <arch/previrt.h>
#include <partition/partition.h>
#include <wcet.h>

u8 mmu_next_slot;
u32 mmu_shown;

void mmu_init(void) { hw_tlb_clear(); }

void mmu_switch(struct vm *vm)
{
    hw_tlb_clear();
    mmu_shown = 0;
    vm->zones_shadowed = 0;
}

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

/* Overlapping entries are undefined on silicon, so one that is in the way is overwritten. */
void mmu_put(u32 pid, u32 ea, u32 size, u32 lo)
{
    u32 mask = page_mask(size);
    if (size < 7)
        mmu_shown |= ea & mask;
    hw_set_pid(pid);
    int slot = hw_tlb_search(ea);
    if (slot < 0)
        slot = mmu_next_slot++ % HW_TLB;
    hw_tlb_write(slot, (ea & mask) | TLBHI_SIZE(size) | TLBHI_V, lo & (mask | 0x3ff));
}

/* A page of area `a`, as its low word: what the guest's view and the area allow. */
static u32 low_word(const struct vm_area *a, const struct view *v)
{
    u32 lo = v->lo & (a->lo | 0xff);
    if (!(a->lo & TLBLO_WR) && lo & TLBLO_ZSEL(15)) /* no zone shall override that */
        lo = (lo & ~TLBLO_ZSEL(15)) | TLBLO_ZSEL(ZONE_PLAIN);
    return lo | (a->lo & (TLBLO_I | TLBLO_G)) | ((v->gpa - a->gpa + a->hpa) & page_mask(0));
}

bool fill_page(struct vm *vm, u32 pid, u32 ea, const struct view *v)
{
    const struct vm_area *a = area_of(vm, v->gpa);
    if (a)
        mmu_put(pid, ea, 1, low_word(a, v));
    return a;
}

/*
 * As large as can be. Smaller pages that are in the way are dropped: in real mode there are none, and nowhere if this
 * one's address has a bit that no smaller one had.
 */
bool fill(struct vm *vm, u32 pid, u32 ea, const struct view *v)
{
    const struct vm_area *a = area_of(vm, v->gpa);
    if (!a)
        return false;
    u32 size = v->size, offset = v->gpa - a->gpa, low;
    for (; size > 1; size--) {
        LOOP_BOUND(7);
        low = ~page_mask(size);
        if ((offset | low) < a->size && !((a->hpa - a->gpa) & low) && (ea | low) != ~0u) /* the last page is irfm.c's */
            break;
    }
    if (size > 1 && pid != SPACE_REAL && !(ea & page_mask(size) & ~mmu_shown))
        purge(ea, page_mask(size), pid, 1);
    mmu_put(pid, ea, size, low_word(a, v));
    return true;
}

void purge(u32 ea, u32 mask, u32 first, u32 n)
{
    ea |= TLBHI_V;
    mask |= TLBHI_V;
    for (u32 slot = 0; slot < HW_TLB; slot++) {
        LOOP_BOUND(HW_TLB);
        if (!((hw_tlb_tag(slot) ^ ea) & mask) && ((hw_pid() - first) & 0xff) < n)
            hw_tlb_drop(slot);
    }
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
        else if (!((ea ^ vm->ctx.pc) & page_mask(1))) /* one entry cannot be both; memory for the one side only */
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
