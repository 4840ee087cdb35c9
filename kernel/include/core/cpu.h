/* SPDX-License-Identifier: MIT */
/*
 * core/cpu.h - everything a core owns. One record a core, reached by this_cpu().
 * <arch/percpu.h> adds what the architecture keeps beside it.
 */
#ifndef AMALGAM_CORE_CPU_H
#define AMALGAM_CORE_CPU_H

#include <arch/percpu.h>
#include <core/sched.h>

#define MAX_CPUS 64

struct cpu {
    unsigned id; /* dense, 0 = the core that booted */
    bool online;
    bool leaving; /* was asked to (core/cores.h) */
    struct spinlock timer_lock;
    unsigned console_lock_depth;
    struct list timers; /* by deadline */
    ticks_t alarm;      /* what the hardware is armed for */
    struct sched sched; /* large: what is behind it has long addresses */
    struct thread idle; /* its stack is the one that the core came up on */
    struct arch_cpu arch;
};

extern struct cpu *cpus[MAX_CPUS]; /* NULL beyond n_cpus, and where a core has left */
extern unsigned n_cpus;            /* the highest number of one that is present, and 1 */

/* Cpu 0 has set everything up: the other cores, which wait in core_start(), may run threads. */
extern bool core_go;

/* The idle thread found nothing to do: this core leaves now if it was asked to, and then this does not return; true:
 * look again whether a thread is ready. Interrupts off. */
bool core_may_leave(struct cpu *c);

#endif
