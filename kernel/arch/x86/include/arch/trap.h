/* SPDX-License-Identifier: MIT */
/* arch/trap.h (x86) - vectors, descriptor tables, where traps arrive. */
#ifndef AMALGAM_ARCH_TRAP_H
#define AMALGAM_ARCH_TRAP_H

#include <arch/frame.h>
#include <types.h>

enum vector {
    VEC_DB = 1,
    VEC_NMI = 2,
    VEC_DF = 8,
    VEC_GP = 13,
    VEC_PF = 14,
    VEC_AC = 17,
    VEC_MC = 18,
    VEC_SX = 30,
    VEC_IRQ_FIRST = 0xf0, /* the sixteen highest vectors are the kernel's own interrupts */
    VEC_CONSOLE0 = 0xf0,
    VEC_CONSOLE1 = 0xf1,
    VEC_SPLIT = 0xf2, /* Linux rang for a split driver (core/split.h) */
    VEC_BELL = 0xf3,  /* another kernel of the board rang (board/scc) */
    VEC_IPI = 0xf8,
    VEC_TIMER = 0xf9,
    VEC_SPURIOUS = 0xff,
};

struct cpu;

/* The calling core is `c` from now on, for this_cpu(); its arch.self says so, too. Boot, before all else. */
void cpu_here_is(struct cpu *c);
/* Make a core's descriptor tables and exception stacks, / and load them: the calling core becomes `c`. */
void traps_prepare(struct cpu *c);
void traps_init(struct cpu *c);
/* What is none of the kernel's own interrupts: true: dealt with, go on where it came. trap_fatal.c says never; a kernel
 * beneath Linux has neighbours that send it things (attach/trap.c). */
bool trap_settled(struct trap_frame *f);
/* Called by traps.S for every vector, interrupts off. */
void trap_dispatch(struct trap_frame *f);
/* All cores share one IDT. */
void idt_init(void);
void idt_where(u64 *base, u16 *limit);
/* Let vectors 0-31 and 240-255 of all cores go to other entries, which pass on what they do not want. Boot. */
void traps_reroute(const u64 table[48]);
/* What an exception is called. */
const char *trap_name(unsigned vector);

#endif
