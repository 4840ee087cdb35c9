/* SPDX-License-Identifier: MIT */
/*
 * descriptors.c - a core's descriptor tables, and the dump of a trap frame.
 *
 * NMI, double fault and machine check have stacks of their own (IST 1-3), because they may come when the current stack
 * is unusable.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <bytes.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <hal/upcalls.h>
#include <string.h>

struct idt_gate {
    u16 low, selector;
    u8 ist, type;
    u16 mid;
    u32 high, reserved;
};

_Static_assert(sizeof(struct idt_gate) == 16, "APM vol 2, 4.8.4");

#define GATE_INTERRUPT 0x8e
#define GATE_USER      0xee /* a program may use it: its INT3 is a breakpoint and no #GP */

static struct idt_gate idt[256] __aligned(16);
extern const u64 vector_table[49];

__init_text void idt_where(u64 *base, u16 *limit)
{
    *base = (u64)idt;
    *limit = sizeof(idt) - 1;
}

static __init_text void load_idt(void)
{
    static const struct {
        u16 limit;
        const struct idt_gate *base;
    } __packed idtr = { sizeof(idt) - 1, idt };
    __asm__ volatile("lidt %0" ::"m"(idtr) : "memory");
}

__init_text void idt_gate(unsigned vector, u64 entry, unsigned ist)
{
    idt[vector] = (struct idt_gate){ .low = (u16)entry,
                                     .selector = 8,
                                     .ist = (u8)ist,
                                     .type = vector == VEC_BP ? GATE_USER : GATE_INTERRUPT,
                                     .mid = (u16)(entry >> 16),
                                     .high = (u32)(entry >> 32) };
}

__init_text void idt_init(void)
{
    for (unsigned v = 0; v < ARRAY_SIZE(idt); v++)
        idt_gate(v,
                 vector_table[v < 32              ? v
                              : v < VEC_IRQ_FIRST ? 48
                                                  : v - VEC_IRQ_FIRST + 32],
                 v == VEC_NMI  ? 1
                 : v == VEC_DF ? 2
                 : v == VEC_MC ? 3
                               : 0);
    load_idt();
}

/* A core's GDT: code, data, and the constant part of its TSS descriptor. */
static const u64 gdt[] = {
    0, 0x00af9b000000ffff, 0x00cf93000000ffff, 0, (sizeof(struct tss) - 1) | 0x89ull << 40,
};

__init_text void cpu_here_is(struct cpu *c) { wrmsr(MSR_GS_BASE, (u64)&c->arch); }

__init_text void traps_prepare(struct cpu *c)
{
    struct arch_cpu *a = &c->arch;
    for (unsigned i = 0; i < 3 && !a->tss.ist[i]; i++) {
        char *stack = page_alloc();
        if (!stack)
            panic("cpu %u: no memory for exception stacks", c->id);
        a->tss.ist[i] = (u64)stack + PAGE_SIZE;
    }
    a->tss.iomap = sizeof(struct tss);
    memcpy(a->gdt, gdt, sizeof(gdt));
    u64 base = (u64)&a->tss;
    u8 *tss = (u8 *)&a->gdt[4];
    put16(tss + 2, (u16)base);
    tss[4] = (u8)(base >> 16);
    tss[7] = (u8)(base >> 24);
    a->gdt[5] = base >> 32;
    a->self = c;
}

__init_text void traps_init(struct cpu *c)
{
    struct arch_cpu *a = &c->arch;
    traps_prepare(c);
    struct {
        u16 limit;
        u64 base;
    } __packed gdtr = { sizeof(a->gdt) - 1, (u64)a->gdt };
    __asm__ volatile("lgdt %0; ltr %w1" ::"m"(gdtr), "r"(0x20) : "memory");
    load_idt();
    cpu_here_is(c);
}

void arch_dump_frame(const struct trap_frame *f)
{
    printk("rip %llx rsp %llx flags %llx vector %u error %llx cr2 %llx cr3 %llx\n", f->rip, f->rsp, f->rflags,
           f->vector, f->error, (u64)read_cr2(), (u64)read_cr3());
    printk("rax %llx rbx %llx rcx %llx rdx %llx rsi %llx rdi %llx rbp %llx\n", f->rax, f->rbx, f->rcx, f->rdx, f->rsi,
           f->rdi, f->rbp);
    printk("r8 %llx r9 %llx r10 %llx r11 %llx r12 %llx r13 %llx r14 %llx r15 %llx\n", f->r8, f->r9, f->r10, f->r11,
           f->r12, f->r13, f->r14, f->r15);
}
