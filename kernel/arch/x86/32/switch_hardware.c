/* SPDX-License-Identifier: MIT */
/*
 * switch_hardware.c - each thread is a task of the processor. This is MetalSVM's first method.
 *
 * A jump to a task state segment saves all registers in the current task's segment and loads those of the other
 * (Pentium manual vol. 3, 13.5). The segment lies at the top of the thread's stack, where it does not cross a page.
 * That of the thread on which a core started is in the core's record.
 *
 * A core has two descriptors: TR names one, and the next thread's segment is described by the other. So the jump finds
 * a task that is not busy, and a segment needs no descriptor of its own.
 */
#include <arch/cpu.h>
#include <arch/percpu.h>
#include <core/cpu.h>
#include <hal/context.h>
#include <string.h>

extern void task_start(void); /* switch_hardware.S */

/* All threads have the page tables of the thread that makes them: there is only one set. */
void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg)
{
    struct tss *t = (struct tss *)top - 1;
    *t = (struct tss){ .cr3 = (u32)read_cr3(),
                       .eip = (u32)task_start,
                       .eflags = 2, /* interrupts off */
                       .ebx = (u32)entry,
                       .esi = (u32)arg,
                       .esp = (u32)t,
                       .cs = SEL_CODE,
                       .ss = SEL_DATA,
                       .ds = SEL_DATA,
                       .es = SEL_DATA,
                       .gs = SEL_CPU,
                       .iomap = sizeof(*t) };
    ctx->sp = t;
}

/* The far address of a task. The processor reads only the selector. */
struct far {
    u32 offset;
    u16 selector;
} __packed;

void context_switch(struct context *from, struct context *to)
{
    struct arch_cpu *a = &this_cpu_here()->arch;
    u32 running;
    __asm__("str %0" : "=r"(running));
    struct far next = { 0, (u16)(running ^ SEL_TSS ^ SEL_TSS_OTHER) };
    if (unlikely(!from->sp))
        from->sp = &a->tss; /* the thread on which the core started */
    tss_describe(&a->gdt[next.selector / 8], to->sp);
    __asm__ volatile("ljmp *%0; clts" ::"m"(next) : "memory", "cc"); /* every switch of tasks sets TS */
}
