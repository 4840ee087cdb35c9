/* SPDX-License-Identifier: MIT */
/*
 * descriptors.c (32 bits) - a core's descriptor tables.
 *
 * Every core has its own descriptor table with the same selectors. So all cores share one interrupt table, whose double
 * fault is a task gate.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <hal/upcalls.h>
#include <string.h>

#include "descriptors.h"
#include "double_fault.h"

struct idt_gate {
    u16 low, selector;
    u8 reserved, type;
    u16 high;
};

_Static_assert(sizeof(struct idt_gate) == 8, "Pentium manual vol. 3, 14.5");

#define GATE_TASK      0x85
#define GATE_INTERRUPT 0x8e
#define GATE_USER      0xee /* a program may use it: its call, and INT3 and INTO, which are no #GP then */

struct table {
    u16 limit;
    u32 base;
} __packed;

static struct idt_gate idt[256] __aligned(8);
extern const u32 vector_table[49];

static __init_text void load_idt(void)
{
    struct table idtr = { sizeof(idt) - 1, (u32)idt };
    __asm__ volatile("lidt %0" ::"m"(idtr) : "memory");
}

static __init_text void set_gate(unsigned vector, u32 entry, u8 type)
{
    idt[vector] =
        (struct idt_gate){ .low = (u16)entry, .selector = SEL_CODE, .type = type, .high = (u16)(entry >> 16) };
}

__init_text void idt_open(unsigned vector, const void *entry) { set_gate(vector, (u32)entry, GATE_USER); }

__init_text void idt_init(void)
{
    for (unsigned v = 0; v < ARRAY_SIZE(idt); v++)
        set_gate(v,
                 vector_table[v < 32              ? v
                              : v < VEC_IRQ_FIRST ? 48
                                                  : v - VEC_IRQ_FIRST + 32],
                 v == VEC_BP || v == VEC_OF ? GATE_USER : GATE_INTERRUPT);
    idt[VEC_DF] = (struct idt_gate){ .selector = SEL_DOUBLE_FAULT, .type = GATE_TASK };
    load_idt();
}

/* Called early: before traps_init(), this_cpu() needs GS. */
__init_text void cpu_here_is(struct cpu *c)
{
    struct arch_cpu *a = &c->arch;
    a->gdt[SEL_CODE / 8] = segment(0, 0xfffff, 0x9b, 0xc);
    a->gdt[SEL_DATA / 8] = segment(0, 0xfffff, 0x93, 0xc);
    a->gdt[SEL_CPU / 8] = segment((u32)a, sizeof(*a) - 1, 0x93, 4);
    a->self = c;
    struct table gdtr = { sizeof(a->gdt) - 1, (u32)a->gdt };
    __asm__ volatile("lgdt %0; mov %1, %%gs" ::"m"(gdtr), "r"(SEL_CPU) : "memory");
}

__init_text void traps_prepare(struct cpu *c)
{
    struct arch_cpu *a = &c->arch;
    char *stack = page_alloc();
    if (!stack)
        panic("cpu %u: no memory for a stack of double faults", c->id);
    a->tss.cr3 = (u32)paging_root(); /* the first core's come with paging_init() */
    a->tss.iomap = a->double_fault.iomap = sizeof(struct tss);
    double_fault_prepare(&a->double_fault, stack + PAGE_SIZE);
    tss_describe(&a->gdt[SEL_TSS / 8], &a->tss);
    tss_describe(&a->gdt[SEL_DOUBLE_FAULT / 8], &a->double_fault);
}

__init_text void traps_init(struct cpu *c)
{
    traps_prepare(c);
    cpu_here_is(c);
    load_idt();
    __asm__ volatile("ltr %w0" ::"r"(SEL_TSS) : "memory");
}

void arch_dump_frame(const struct trap_frame *f)
{
    printk("eip %x esp %x flags %x vector %u error %x cr2 %x cr3 %x\n", f->eip, f->esp, f->eflags, f->vector, f->error,
           (u32)read_cr2(), (u32)read_cr3());
    printk("eax %x ebx %x ecx %x edx %x esi %x edi %x ebp %x\n", f->eax, f->ebx, f->ecx, f->edx, f->esi, f->edi,
           f->ebp);
}
