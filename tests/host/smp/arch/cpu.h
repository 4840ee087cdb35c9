/* SPDX-License-Identifier: MIT */
/* arch/cpu.h for tests in which every core is a host thread of its own: what spins gives the others a chance. */
#ifndef AMALGAM_ARCH_CPU_H
#define AMALGAM_ARCH_CPU_H

#include <sched.h>
#include <types.h>

struct cpu;
extern __thread struct cpu *host_core;

static inline struct cpu *this_cpu(void) { return host_core; }
static inline struct cpu *this_cpu_here(void) { return host_core; }

/* Called where a lock was given back and interrupts may be on again: what others may do before this core goes on. */
extern void (*host_gap)(void) __attribute__((weak));
static inline unsigned long irq_save(void) { return 0; }
static inline void irq_restore(unsigned long flags)
{
    if (&host_gap && host_gap)
        host_gap();
}
static inline void irq_enable(void) {}
static inline void irq_disable(void) {}
static inline bool irq_enabled(void) { return false; }
static inline void cpu_relax(void) { sched_yield(); }
static inline unsigned bit_msb32(u32 v) { return 31 - (unsigned)__builtin_clz(v); }
static inline void mp_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#endif
