/* SPDX-License-Identifier: MIT */
/* arch/percpu.h (x86, 32 bits) - what a core keeps for the architecture; GS points at it.
 * Files for both widths know `self`, `apic_id` and `deadline`. */
#ifndef AMALGAM_ARCH_PERCPU_H
#define AMALGAM_ARCH_PERCPU_H

#include <types.h>

struct cpu;

/* A task state segment (Pentium Processor Family Developer's Manual, vol. 3, 13.6). */
struct tss {
    u32 back_link, esp0, ss0, esp1, ss1, esp2, ss2, cr3, eip, eflags;
    u32 eax, ecx, edx, ebx, esp, ebp, esi, edi;
    u32 es, cs, ss, ds, fs, gs, ldt;
    u16 trap, iomap;
};

_Static_assert(sizeof(struct tss) == 104, "Pentium manual vol. 3, figure 13-1");

/* Selectors of a core's descriptor table. */
enum {
    SEL_CODE = 0x08,
    SEL_DATA = 0x10,
    SEL_CPU = 0x18, /* GS: struct arch_cpu */
    SEL_TSS = 0x20,
    SEL_DOUBLE_FAULT = 0x28,
    GDT_ENTRIES = 8,
};

struct arch_cpu {
    struct cpu *self; /* %gs:0 */
    u32 apic_id;
    ticks_t deadline; /* what hal_timer_arm was asked for */
    u64 gdt[GDT_ENTRIES];
    struct tss tss;          /* what a double fault interrupted is saved here */
    struct tss double_fault; /* the task that reports it, on a stack of its own */
};

#endif
