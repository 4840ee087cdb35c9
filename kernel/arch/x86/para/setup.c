/* SPDX-License-Identifier: MIT */
/*
 * setup.c - makes a vCPU in ring 1: the pages that lie in the guest's address spaces, and its first state.
 *
 * The interrupt table is all ours. What a guest may use of it are the call and CPUID from ring 1, INT3 and INTO from
 * anywhere; INT 0x80 comes when the guest's gate is known (deliver.c). All else faults, and is looked up in the
 * guest's.
 */
#include "../32/descriptors.h"
#include "para.h"

#include <arch/boot.h>
#include <arch/pte.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>
#include <string.h>

_Static_assert(SEL_CODE == HOST_CODE && SEL_DATA == HOST_DATA && SEL_CPU == HOST_CPU && SEL_TSS == HOST_TSS,
               "layout.h");
_Static_assert(PARA_SHARE == PARA_TOP + 0x3000 && PARA_TOP == SHADOW_FIXED_AT && PARA_PAGES == SHADOW_FIXED,
               "kernel/api/para.yaml, shadow.h");
_Static_assert(sizeof(struct shadow) <= 8 * PAGE_SIZE, "SHADOW_RECORD");

#define SHADOW_RECORD ((sizeof(struct shadow) + PAGE_SIZE - 1) / PAGE_SIZE) /* pages */
#define GATE(dpl)     (0x8e00u | (dpl) << 13)
#define BOOT_CODE     2u /* entries that Linux' boot protocol promises, and those of its own table with the same */
#define BOOT_DATA     3u

static void *code; /* the page of switch.S that guests and the kernel have at one address */

__cold int hal_guest_enable(void)
{
    if (code)
        return 0;
    code = page_alloc();
    if (!code)
        return -ENOMEM;
    memcpy(code, para_code, (size_t)(para_code_end - para_code));
    return paging_map(PARA_CODE, virt_to_phys(code), PAGE_SIZE, 0);
}

static __init_text void set_gate(struct para_state *s, unsigned vector, unsigned n, unsigned dpl)
{
    u32 to = para_place(para_vectors) + 16 * n;
    s->idt[vector] = (u64)((to & 0xffff0000) | GATE(dpl)) << 32 | SEL_PARA_CODE << 16 | (to & 0xffff);
}

static __init_text void fill_state(struct para_state *s)
{
    u32 task = PARA_STATE + offsetof(struct para_state, tss);
    s->gdt[SEL_PARA_CODE / 8] = segment(0, 0xfffff, 0x9b, 0xc);
    s->gdt[SEL_PARA_DATA / 8] = segment(0, 0xfffff, 0x93, 0xc);
    tss_describe(&s->gdt[SEL_PARA_TSS / 8], (struct tss *)task);
    s->tss.esp0 = PARA_REGS + PAGE_SIZE;
    s->tss.ss0 = SEL_PARA_DATA;
    s->tss.iomap = sizeof(struct tss); /* no ports */
    for (unsigned v = 0; v < 32; v++)
        set_gate(s, v, v, v == VEC_BP || v == VEC_OF ? 3 : 0);
    for (unsigned v = VEC_IRQ_FIRST; v < 256; v++)
        set_gate(s, v, 32 + v - VEC_IRQ_FIRST, 0);
    set_gate(s, PARA_VECTOR, 48, 1);
    set_gate(s, PARA_CPUID, 49, 1);
    s->linear_gdtr = (struct para_table){ sizeof(s->gdt) - 1, (u32)s->gdt, 0 };
    s->gdtr = (struct para_table){ sizeof(s->gdt) - 1, PARA_STATE, 0 };
    s->idtr = (struct para_table){ sizeof(s->idt) - 1, PARA_STATE + offsetof(struct para_state, idt), 0 };
}

static __init_text u32 entry_of(const void *page, u32 rights)
{
    return bus_address(virt_to_phys(page)) | ENTRY_P | rights;
}

__init_text int hal_vcpu_create(struct hal_vcpu *v, struct stage2 *s2, unsigned index)
{
    memset(v, 0, sizeof(*v));
    v->memory = s2;
    v->state = page_alloc();
    u8 *regs = page_alloc();
    v->regs = regs ? (struct para_regs *)(regs + PAGE_SIZE) - 1 : NULL;
    v->shared = page_alloc();
    v->shadow = pages_alloc(SHADOW_RECORD + SHADOW_PAGES);
    if (!v->state || !regs || !v->shared || !v->shadow)
        return -ENOMEM;
    shadow_page *pages = (shadow_page *)((u8 *)v->shadow + SHADOW_RECORD * PAGE_SIZE);
    const u32 fixed[SHADOW_FIXED] = { entry_of(code, 0), entry_of(v->state, 0), entry_of(regs, ENTRY_W),
                                      entry_of(v->shared, ENTRY_W) };
    shadow_init(v->shadow, pages, bus_address(virt_to_phys(pages)), fixed);
    fill_state(v->state);
    return 0;
}

void hal_vcpu_destroy(struct hal_vcpu *v)
{
    if (v->shadow)
        frames_clean(virt_to_phys(v->shadow), SHADOW_RECORD + SHADOW_PAGES);
    page_clean(v->shared);
    page_clean(v->regs ? (u8 *)(v->regs + 1) - PAGE_SIZE : NULL);
    page_clean(v->state);
    memset(v, 0, sizeof(*v));
}

void vcpu_start(struct hal_vcpu *v, u32 eip, u32 esi)
{
    struct para_state *s = v->state;
    memset(s->gdt, 0, GUEST_DESCRIPTORS * 8);
    s->gdt[BOOT_CODE] = descriptor_clean(segment(0, 0xfffff, 0x9b, 0xc));
    s->gdt[BOOT_DATA] = descriptor_clean(segment(0, 0xfffff, 0x93, 0xc));
    s->tss.esp1 = s->tss.ss1 = 0;
    memset(v->shared, 0, PAGE_SIZE);
    v->gdt = v->gdt_limit = v->task = v->lines = 0;
    para_load_idt(v, 0, 0);
    v->cr0 = CR0_PE_ET;
    v->cr3 = v->cr4 = 0;
    v->said = 0;
    v->shadow->most = SHADOW_FILLED >> v->memory->n / 16; /* each may search all ranges, with interrupts off */
    vcpu_flush(v);
    *v->regs = (struct para_regs){ .esi = esi, .eip = eip, .cs = BOOT_CODE * 8 | 1 };
    v->regs->ds = v->regs->es = v->regs->fs = v->regs->gs = v->regs->ss = BOOT_DATA * 8 | 1;
}
