/* SPDX-License-Identifier: MIT */
/* space.c - where shadows meet the guest's tables: what is filled at a fault, and what its control registers empty. */
#include "para.h"

#define CR0_SPACE 0x80010000u /* PG, WP */

enum fault para_fault(struct hal_vcpu *v, u32 va, u32 *error, u32 *gpa)
{
    u32 present = 1;
    u32 entry = shadow_is_fixed(va) ? 0 : para_walk(v, va, *error & (ACCESS_WRITE | ACCESS_USER), &present);
    if (!entry) {
        *error = (*error & (ACCESS_WRITE | ACCESS_USER)) | present;
        return FAULT_GUEST;
    }
    u32 filled = para_entry(v, entry, va);
    *gpa = (entry & ENTRY_FRAME) | (va & ~ENTRY_FRAME);
    para_strong_walked(entry, va);
    if (!filled || (*error & ACCESS_WRITE && entry & ENTRY_W && !(filled & ENTRY_W)))
        return FAULT_NOWHERE;
    shadow_fill(v->shadow, va, filled);
    return FAULT_FILLED;
}

/* As para_walk() for an access that changes no bit, for shadow_load(). */
static u32 look(void *guest, u32 va)
{
    struct hal_vcpu *v = guest;
    u32 rights, frame, index = va >> 12 & 1023;
    const u32 *directory = (u32 *)para_page(v->memory, v->cr3, false, &rights);
    u32 entry = directory ? directory[va >> 22] : 0, both = entry;
    if ((entry & (ENTRY_P | ENTRY_A)) != (ENTRY_P | ENTRY_A))
        return 0;
    if (entry & ENTRY_PS && v->cr4 & CR4_LARGE) {
        frame = (entry & 0xffc00000) | index << 12;
    } else {
        const u32 *table = (u32 *)para_page(v->memory, entry, false, &rights);
        entry = table ? table[index] : 0;
        both &= entry;
        frame = entry & ENTRY_FRAME;
    }
    if ((entry & (ENTRY_P | ENTRY_A)) != (ENTRY_P | ENTRY_A))
        return 0;
    return para_entry(v, frame | ENTRY_P | (both & ENTRY_U) | (entry & ENTRY_D ? both & ENTRY_W : 0), va);
}

void para_load_cr3(struct hal_vcpu *v, u32 cr3, u32 number, u32 generation)
{
    v->cr3 = cr3;
    para_drop(v, v->cr4 & CR4_GLOBAL);
    shared_set(v, PARA_SHARE_CR3, cr3);
    shadow_load(v->shadow, cr3, number, generation, v->cr4 & CR4_GLOBAL, look, v);
    para_strong_loaded();
}

void para_set_cr0(struct hal_vcpu *v, u32 value)
{
    if ((v->cr0 ^ value) & CR0_SPACE)
        vcpu_flush(v);
    v->cr0 = value | CR0_PE_ET;
}

void para_set_cr4(struct hal_vcpu *v, u32 value)
{
    v->cr4 = value;
    vcpu_flush(v);
}

void para_forget(struct hal_vcpu *v, u32 va)
{
    shadow_forget(v->shadow, va);
    para_drop_page(v, va);
}

void vcpu_flush(struct hal_vcpu *v)
{
    shadow_flush(v->shadow);
    para_drop(v, false);
}
