/* SPDX-License-Identifier: MIT */
/* arch/trap.h (x86) - vectors, descriptor tables, entry of traps in C. */
#ifndef AMALGAM_ARCH_TRAP_H
#define AMALGAM_ARCH_TRAP_H

#include <arch/frame.h>
#include <types.h>

enum vector {
    VEC_DB = 1,
    VEC_NMI = 2,
    VEC_BP = 3,
    VEC_OF = 4,
    VEC_UD = 6,
    VEC_DF = 8,
    VEC_GP = 13,
    VEC_PF = 14,
    VEC_AC = 17,
    VEC_MC = 18,
    VEC_SX = 30,
    VEC_IRQ_FIRST = 0xf0, /* the kernel's own interrupts have the sixteen highest vectors */
    VEC_CONSOLE0 = 0xf0,
    VEC_CONSOLE1 = 0xf1,
    VEC_SPLIT = 0xf2,  /* Linux rang for a split driver (core/split.h) */
    VEC_BELL = 0xf3,   /* another kernel of the board rang (board/scc) */
    VEC_DEVICE = 0xf4, /* to 0xf7: lines of devices that processes drive (cpu/line.c) */
    VEC_IPI = 0xf8,
    VEC_TIMER = 0xf9,
    VEC_SPURIOUS = 0xff,
};

struct cpu;

/* Make this_cpu() return `c` on the calling core; also sets its arch.self. Boot, before all else. */
void cpu_here_is(struct cpu *c);
/* Create a core's descriptor tables and exception stacks / and load them: the calling core becomes `c`. */
void traps_prepare(struct cpu *c);
void traps_init(struct cpu *c);
/* Handle an interrupt or exception that the kernel did not expect. Returns true if the interrupted code may continue.
 * trap_fatal.c knows none but trap_user_copy(), cpu/line.c those of devices, too; the kernel beneath a Linux
 * (attach/trap.c) is sent interrupts by others. */
bool trap_handle_unexpected(struct trap_frame *f);
/* Called by it: if this is a page fault of user_copy(), let that return -EFAULT. Returns whether it is. Without
 * processes there is none. */
bool trap_user_copy(struct trap_frame *f);
/* Called by traps.S for each vector, interrupts off. */
void trap_dispatch(struct trap_frame *f);
#ifndef LAYER_BENEATH /* the build says 1 of a kernel that can slip a layer beneath itself (SELFVIRT) */
#define LAYER_BENEATH 0
#endif
/* selfvirt/layer.c: returns whether the trap was the layer's, or the interrupt of a switch, and is handled. */
bool layer_takes(struct trap_frame *f);
/* All cores share one IDT. */
void idt_init(void);
/* Let a vector of all cores go to `entry`, on stack `ist` of the core's TSS, from 1 on; 0: on the current one. Boot. */
void idt_gate(unsigned vector, u64 entry, unsigned ist);
void idt_where(u64 *base, u16 *limit);
/* Returns the name of an exception. */
const char *trap_name(unsigned vector);

#endif
