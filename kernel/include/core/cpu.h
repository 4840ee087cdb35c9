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
    struct arch_cpu arch; /* first: entry code addresses it by constant offsets */
    unsigned id;          /* dense, 0 = the core that booted */
    bool online;
    struct sched sched;
    struct spinlock timer_lock;
    struct list timers; /* by deadline */
    ticks_t alarm;      /* what the hardware is armed for */
    unsigned console_lock_depth;
};

extern struct cpu *cpus[MAX_CPUS]; /* NULL beyond n_cpus */
extern unsigned n_cpus;            /* present and started */

/* Cpu 0 has set everything up: the other cores, which wait in core_start(), may run threads. */
extern bool core_go;

#endif
