/* SPDX-License-Identifier: MIT */
/*
 * double_fault.c - handles a double fault in a task of its own, because the stack may be broken.
 *
 * A thread that overflows its stack runs into the unmapped page below it, and the processor cannot push the page fault
 * there.
 *
 * The processor saves the interrupted state in the task state segment that TR names, and links it. The task builds a
 * struct trap_frame from it and makes itself the interrupted task again, so that this task is free for the next double
 * fault. Then it goes on as any exception does. It never returns: core_trap() stops the domain or the machine.
 */
#include "double_fault.h"

#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <hal/cpu.h>

/* LTR needs a task that is not busy. With NT set, IRET would return to the linked task. */
static void become(struct arch_cpu *a, u32 selector)
{
    a->gdt[selector / 8] &= ~TSS_BUSY;
    a->gdt[SEL_DOUBLE_FAULT / 8] &= ~TSS_BUSY;
    __asm__ volatile("ltr %w0; push $2; popf; clts" ::"r"(selector) : "memory", "cc");
}

static __noreturn void double_fault(void)
{
    struct arch_cpu *a = &this_cpu()->arch;
    u32 selector = a->double_fault.back_link;
    const struct tss *t = tss_of(a->gdt[selector / 8]);
    struct trap_frame f = { t->edi, t->esi, t->ebp,           t->esp,        t->ebx,      t->edx,
                            t->ecx, t->eax, .vector = VEC_DF, .eip = t->eip, .cs = t->cs, .eflags = t->eflags };
    become(a, selector);
    trap_dispatch(&f);
    hal_halt();
}

__init_text void double_fault_prepare(struct tss *t, char *top)
{
    *t = (struct tss){ .esp = (u32)top,
                       .eip = (u32)double_fault,
                       .eflags = 2,
                       .cr3 = (u32)paging_root(),
                       .cs = SEL_CODE,
                       .ss = SEL_DATA,
                       .ds = SEL_DATA,
                       .es = SEL_DATA,
                       .gs = SEL_CPU,
                       .iomap = sizeof(*t) };
}
