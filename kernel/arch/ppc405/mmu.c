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
#include <core/partition.h>
#include <string.h>

static u8 next_slot;

void mmu_init(void) { hw_tlb_clear(); }

void mmu_switch(struct vm *vm)
{
    hw_tlb_clear();
    vm->zones_shadowed = 0;
}

void mmu_reset(struct vm *vm)
{
    memset(vm->areas, 0, sizeof vm->areas);
    mmu_add_area(vm, 0, vm->size, vm->base, TLBLO_EX | TLBLO_WR);
    for (u32 mode = MODE_REAL; mode < MODE_TRANSLATED; mode++)
        vm->space_pid[mode] = SPACE_REAL + mode;
    vm->mode_zpr[0] = ZPR_PRIVILEGED;
    vm->mode_zpr[1] = ZPR_PROBLEM;
    tlb_reset(vm);
}

bool mmu_add_area(struct vm *vm, u32 gpa, u32 size, u32 hpa, u32 lo)
{
    for (struct vm_area *a = vm->areas; a < vm->areas + VM_AREAS; a++)
        if (!a->size) {
            *a = (struct vm_area) { gpa, size, hpa, lo };
            return true;
        }
    return false;
}

static const struct vm_area *area_of(struct vm *vm, u32 gpa)
{
    for (const struct vm_area *a = vm->areas; a < vm->areas + VM_AREAS; a++)
        if (gpa - a->gpa < a->size)
            return a;
    return NULL;
}

bool is_memory(struct vm *vm, u32 gpa) { return area_of(vm, gpa) != NULL; }

void *guest_pa(struct vm *vm, u32 gpa, u32 size)
{
    return gpa < vm->size && size <= vm->size - gpa ? (void *)(uintptr_t)(vm->base + gpa) : NULL;
}

void *guest_ea(struct vm *vm, u32 ea, bool instruction, u32 *left)
{
    struct view v = REAL_VIEW(ea);
    if ((regs_of(vm)->msr & (instruction ? MSR_IR : MSR_DR)) && !translate(vm, ea, &v))
        return NULL;
    *left = -ea & (v.size ? 0xfff : 0x3ff);
    if (!*left)
        *left = v.size ? 0x1000 : 0x400;
    return guest_pa(vm, v.gpa, 1);
}

/* Overlapping entries are undefined on silicon, so one that is in the way is overwritten, smaller ones are dropped. */
static void put(u32 pid, u32 ea, u32 size, u32 lo)
{
    if (size > 1 && pid != SPACE_REAL)
        purge(ea, page_mask(size), pid, 1);
    hw_set_pid(pid);
    int slot = hw_tlb_search(ea);
    if (slot < 0)
        slot = next_slot++ % HW_TLB;
    hw_tlb_write(slot, (ea & page_mask(size)) | TLBHI_SIZE(size) | TLBHI_V, lo & (page_mask(size) | 0x3ff));
}

bool fill(struct vm *vm, u32 pid, u32 ea, const struct view *v)
{
    const struct vm_area *a = area_of(vm, v->gpa);
    if (!a)
        return false;
    u32 size = v->size, lo = v->lo & (a->lo | 0xff);
    for (; size > 1; size--) { /* the last page of all is the register page's */
        u32 low = ~page_mask(size), start = (v->gpa & ~low) - a->gpa;
        if (start < a->size && a->size - start > low && !((a->hpa - a->gpa) & low) && (ea | low) != ~0u)
            break;
    }
    if (!(a->lo & TLBLO_WR) && lo & TLBLO_ZSEL(15)) /* no zone shall override that */
        lo = (lo & ~TLBLO_ZSEL(15)) | TLBLO_ZSEL(ZONE_PLAIN);
    put(pid, ea, size, lo | (a->lo & (TLBLO_I | TLBLO_G)) | ((v->gpa - a->gpa + a->hpa) & page_mask(0)));
    return true;
}

void purge(u32 ea, u32 mask, u32 first, u32 n)
{
    for (u32 slot = 0; slot < HW_TLB; slot++) {
        u32 tag = hw_tlb_tag(slot); /* bound 64 */
        if ((tag & TLBHI_V) && !((tag ^ ea) & mask) && ((hw_pid() - first) & 0xff) < n)
            hw_tlb_drop(slot);
    }
    hw_set_pid(0); /* QUIRK_TLBRE_PID: so that resuming changes it */
}

static bool granted(const struct view *v, bool instruction, u32 esr)
{
    return instruction ? v->lo & TLBLO_EX : v->lo & TLBLO_WR || !(esr & ESR_DST);
}

static void denied(struct vm *vm, u32 vector, bool instruction, u32 ea, u32 esr)
{
    if (instruction)
        deliver_instruction(vm, vector, esr);
    else
        deliver_data(vm, vector, ea, esr);
}

/* What no hardware entry can show: a device, if the guest's own rights let the access through. */
static void unbacked(struct vm *vm, const struct view *v, bool instruction, u32 ea, u32 esr)
{
    u32 zone = v->lo >> 4 & 3, problem = regs_of(vm)->msr & MSR_PR;
    bool none = zone == ZONE_OWNER && problem;
    if (none || (zone < (problem ? 3 : 2) && !granted(v, instruction, esr)))
        denied(vm, instruction ? VEC_ISI : VEC_DSI, instruction, ea, none && !instruction ? esr | ESR_DIZ : esr);
    else if (instruction)
        vm_event(vm, PT_ON_FAULT, VEC_ITLB, ea);
    else
        mmio(vm, v->gpa, ea, esr & ESR_DST);
}

void mmu_fault(struct vm *vm, u32 vector, u32 ea, u32 esr)
{
    bool instruction = vector == VEC_ITLB || vector == VEC_ISI, miss = vector >= VEC_DTLB;
    u32 mode = mode_of(regs_of(vm)->msr), pid = vm->space_pid[mode], page = register_page(vm, ea);
    struct view v = REAL_VIEW(ea);
    enum seen seen = SEEN;

    if (page && miss) {
        put(pid, ea, 1, page);
        return;
    }
    if (!page && (miss || mode == MODE_DATA || mode == MODE_INSTRUCTIONS)) {
        if (mode != MODE_REAL)
            seen = translated_view(vm, ea, instruction, &v);
        if (seen == REFUSED)
            return;
        if (seen == SEEN && (miss || granted(&v, instruction, esr))) {
            if (!v.size || !fill(vm, pid, ea, &v))
                unbacked(vm, &v, instruction, ea, esr);
            return;
        }
        if (seen == UNSEEN)
            vector = instruction ? VEC_ITLB : VEC_DTLB;
    }
    denied(vm, vector, instruction, ea, esr);
}
