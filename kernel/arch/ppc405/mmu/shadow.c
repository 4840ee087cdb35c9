/* SPDX-License-Identifier: MIT */
/*
 * shadow.c - puts the guest's pages into the hardware TLB (docs/shadow-tlb.md).
 *
 * A hardware entry is a copy of the guest's entry, with the host's address and the guest's own rights. So the hardware
 * itself decides about an access, and a storage exception (not a miss) that it reports is exactly the guest's. Entries
 * are made on a miss, round robin, as large as alignment and memory permit.
 */
#include "mmu.h"
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

/* Overlapping entries are undefined on silicon, so an entry in the way is overwritten. */
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

/*
 * The low word for a page of area `a`: the rights that both the guest's view and the area permit. Where the area
 * permits less than everything, no zone may override that: the page is in ZONE_PLAIN. What the guest's 11 grants is
 * then in its rights. Its 10 is treated as 01 (docs/shadow-tlb.md).
 */
static u32 low_word(const struct vm_area *a, const struct view *v)
{
    u32 lo = v->lo & (a->lo | 0xff);
    if (~a->lo & (TLBLO_EX | TLBLO_WR) && lo & TLBLO_ZSEL(2)) {
        if (lo & TLBLO_ZSEL(1))
            lo |= a->lo;
        lo = (lo & ~TLBLO_ZSEL(15)) | TLBLO_ZSEL(ZONE_PLAIN);
    }
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
 * Make the entry as large as possible. Smaller pages that overlap it are dropped. There are none in the guest's own
 * memory in real mode; where a tunnel is now, a page of a device may have been shown before. And there are none if the
 * address has a bit that no smaller page's address has had.
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
    if (size > 1 && (pid != SPACE_REAL || a != vm->areas) && !(ea & page_mask(size) & ~mmu_shown))
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
