/* SPDX-License-Identifier: MIT */
/*
 * core/cpu.h - the record of a core, reached by this_cpu(). <arch/percpu.h> adds the architecture's part.
 */
#ifndef AMALGAM_CORE_CPU_H
#define AMALGAM_CORE_CPU_H

#include <arch/percpu.h>
#include <core/sched.h>
#include <hal/time.h>

struct cpu {
    unsigned id; /* dense, 0 = the core that booted */
    bool online;
    bool leaving; /* core_leave() was called (core/cores.h) */
    struct spinlock timer_lock;
    unsigned console_lock_depth;
    struct list timers; /* by deadline */
    ticks_t alarm;      /* the deadline that the hardware's alarm is set to; 0 inside core_irq_timer() */
    struct sched sched; /* large: fields behind it have long offsets in instructions */
    struct thread idle; /* its stack is the core's first one */
    struct arch_cpu arch;
};

/* NULL from n_cpus on, and for a number whose core has left. A core that no system uses leaves at any time: read its
 * pointer once. The record stays. */
extern struct cpu *cpus[MAX_CPUS];
extern unsigned n_cpus; /* 1 + the highest number of a core that is present */

/* Returns the record of a core that is present. */
static __inlined struct cpu *cpu_of(unsigned id) { return MAX_CPUS > 1 ? cpus[id] : this_cpu_here(); }

/* Cpu 0 has initialized everything: the other cores, which wait in core_start(), may run threads. */
extern bool core_go;

/* Set the hardware's alarm to no later than `deadline`. The alarm stays when its deadline goes away: an alarm with
 * nothing to do costs less than setting the timer at each switch. Interrupts must be off. */
static inline void alarm_before(struct cpu *c, ticks_t deadline)
{
    if (deadline >= c->alarm)
        return;
    c->alarm = deadline;
    hal_timer_arm(deadline);
}

/* The idle thread found nothing to do. If the core was asked to leave and its threads have ended, it leaves and this
 * does not return. Returns true if the idle thread must look again for a ready thread. Interrupts must be off. */
bool core_may_leave(struct cpu *c);

#endif
