/* SPDX-License-Identifier: MIT */
/* arch/cpu.h for the host: kernel code under test runs as one thread of an ordinary program. */
#ifndef AMALGAM_ARCH_CPU_H
#define AMALGAM_ARCH_CPU_H

#include <types.h>

struct cpu;
extern struct cpu *host_this_cpu;
extern bool host_irq_on; /* what irq_save() saw last; tests assert on it */

static inline struct cpu *this_cpu(void) { return host_this_cpu; }
static inline struct cpu *this_cpu_here(void) { return host_this_cpu; }
/* Called once before irq_save() turns interrupts off: what another core does just before this one has the lock. */
extern void (*host_elsewhere)(void) __attribute__((weak));

static inline unsigned long irq_save(void)
{
    void (*elsewhere)(void) = &host_elsewhere ? host_elsewhere : NULL;
    if (elsewhere) {
        host_elsewhere = NULL;
        elsewhere();
    }
    unsigned long was = host_irq_on;
    host_irq_on = false;
    return was;
}
static inline void irq_restore(unsigned long flags) { host_irq_on = flags; }
/* Called when interrupts go on: those that are pending come. */
extern void (*host_at_enable)(void) __attribute__((weak));

static inline void irq_enable(void)
{
    host_irq_on = true;
    if (&host_at_enable && host_at_enable)
        host_at_enable();
}
static inline void irq_disable(void) { host_irq_on = false; }
static inline bool irq_enabled(void) { return host_irq_on; }
static inline void irq_window(void) {}
static inline void cpu_relax(void) {}
static inline unsigned bit_msb32(u32 v) { return 31 - (unsigned)__builtin_clz(v); }
/* The partition core's clock (partition/partition.h): each test brings one. */
u32 time_base(void);
void time_base_set(u32 low);
/* Called at every full fence: what another core does just then. */
extern void (*host_at_fence)(void) __attribute__((weak));

static inline void mp_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (&host_at_fence && host_at_fence)
        host_at_fence();
}

#endif
