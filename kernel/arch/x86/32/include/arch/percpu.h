/* SPDX-License-Identifier: MIT */
/* arch/percpu.h (x86, 32 bits) - what a core keeps for the architecture; GS points to it. Files for both widths use
 * `self`, `apic_id` and `deadline`. */
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

/* Write and read the descriptor of a task state segment. TSS_BUSY is set in the one that TR names. */
#define TSS_BUSY (2ull << 40)
static inline void tss_describe(u64 *descriptor, const struct tss *t)
{
    u32 base = (u32)(unsigned long)t, *words = (u32 *)descriptor;
    words[0] = base << 16 | (sizeof(*t) - 1);
    words[1] = (base & 0xff000000) | 0x8900 | (base >> 16 & 0xff);
}
static inline struct tss *tss_of(u64 descriptor)
{
    return (struct tss *)((u32)(descriptor >> 16 & 0xffffff) | (u32)(descriptor >> 32 & 0xff000000));
}

/* Selectors of a core's descriptor table. */
enum {
    SEL_CODE = 0x08,
    SEL_DATA = 0x10,
    SEL_CPU = 0x18, /* GS: struct arch_cpu */
    SEL_TSS = 0x20,
    SEL_DOUBLE_FAULT = 0x28,
    SEL_TSS_OTHER = 0x30, /* switch_hardware.c */
    SEL_PROGRAM = 0x38,   /* FS: the thread-local data of a native program */
    SEL_USER_CODE = 0x43, /* of a process (user/user.c): privilege 3 */
    SEL_USER_DATA = 0x4b,
    SEL_USER_TLS = 0x53, /* GS: the data of its thread */
    GDT_ENTRIES = 11,
};

struct arch_cpu {
    struct cpu *self; /* %gs:0 */
    u32 apic_id;
    ticks_t deadline; /* the argument of the last hal_timer_arm() */
    u64 gdt[GDT_ENTRIES];
    struct tss tss; /* the task of the thread on which the core started; without hardware tasks, of all threads */
    struct tss double_fault; /* the task that reports a double fault, on its own stack */
};

#endif
