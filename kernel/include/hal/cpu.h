/* SPDX-License-Identifier: MIT */
/*
 * hal/cpu.h - what core/ needs from a processor: the current core, interrupts, idling, and interrupting another core.
 *
 * <arch/cpu.h> implements the functions marked "inline" below as static inline; the others are linked from arch/<isa>.
 *
 *    inline struct cpu *this_cpu(void)        per-core record (core/cpu.h); interrupts off or bound thread
 *                                            (this_cpu_here(): the same in line, for the shortest paths)
 *    inline unsigned long irq_save(void)      disable interrupts, return the former state
 *    inline void irq_restore(unsigned long)
 *    inline void irq_enable(void)  irq_disable(void)
 *    inline bool irq_enabled(void)
 *    inline void irq_window(void)             if interrupts are on, take pending ones: for short times between locks
 *    inline void cpu_relax(void)              hint inside a spin loop
 *    inline unsigned bit_msb32(u32 v)         index of the highest set bit; v != 0
 *    inline void mp_fence(void)               full barrier between cores
 */
#ifndef AMALGAM_HAL_CPU_H
#define AMALGAM_HAL_CPU_H

#include <types.h>
#include <arch/cpu.h>

/* Enable interrupts and wait for one, atomically; returns with interrupts off. */
void hal_idle(void);
/*
 * One turn of a wait for another core, with interrupts off: cpu_give_way() lets other cores run for a moment, without
 * an interrupt, cpu_is_due() returns whether one is pending. Only where there are clusters.
 */
void cpu_give_way(void);
bool cpu_is_due(void);
/* Take a ring of another core or cluster (hal_ipi_resched, noc_ring) that is pending, as its interrupt would, but
 * without one; threads are not switched. Returns false if none is. Interrupts off. Only where there are clusters. */
bool cpu_take_ipi(void);
/* Let such rings wait, or take them from now on. This core, interrupts off. Only where there are clusters. */
void cpu_defer_ipi(bool defer);
/* Make `cpu` take an interrupt and call core_irq_exit(). Any context. */
void hal_ipi_resched(unsigned cpu);
/* Stop all other cores for good, in a panic. */
void hal_stop_others(void);
/* Stop this core for good. */
__noreturn void hal_halt(void);
/* Fill buf with random bytes of the machine (RDSEED, RDRAND). Returns 0, or -ENODEV: it has no source. Any context. */
int hal_entropy(void *buf, size_t n);
/* The last function that core/ calls on a core that leaves (core/cores.h), with interrupts off, the alarm disarmed,
 * on the core's first stack. The core may come back by core_join() and core_start() with a fresh stack. */
__noreturn void hal_core_left(void);
/* Power the board off; returns only if the board cannot. */
void hal_power_off(void);

#endif
