/* SPDX-License-Identifier: MIT */
/*
 * hal/cpu.h - what core/ needs from a processor: who am I, interrupts, idling,
 * asking another core to look at its run queue.
 *
 * <arch/cpu.h> implements the functions marked "inline" below as static inline;
 * the others are linked from arch/<isa>.
 *
 *   inline struct cpu *this_cpu(void)        per-core record (core/cpu.h); interrupts off or bound thread
 *                                           (this_cpu_here(): the same in line, for the shortest paths)
 *   inline unsigned long irq_save(void)      disable interrupts, return the former state
 *   inline void irq_restore(unsigned long)
 *   inline void irq_enable(void)  irq_disable(void)
 *   inline bool irq_enabled(void)
 *   inline void irq_window(void)             take what waits, if they are enabled: for short times between locks
 *   inline void cpu_relax(void)              hint inside a spin loop
 *   inline unsigned bit_msb32(u32 v)         index of the highest set bit; v != 0
 *   inline void mp_fence(void)               full barrier between cores
 */
#ifndef AMALGAM_HAL_CPU_H
#define AMALGAM_HAL_CPU_H

#include <types.h>
#include <arch/cpu.h>

/* Wait for an interrupt with interrupts enabled atomically; returns with interrupts disabled. */
void hal_idle(void);
/*
 * One turn of a wait for another core, interrupts off: let others run for a moment, without an interrupt for it. True:
 * one waits to be taken. Only where there are clusters.
 */
bool cpu_give_way(void);
/* Make `cpu` take an interrupt and pass core_irq_exit(); any context. */
void hal_ipi_resched(unsigned cpu);
/* Stop every other core for good (panic path). */
void hal_stop_others(void);
/* Stop this core for good. */
__noreturn void hal_halt(void);
/* Fill buf with true random bytes of the machine (RDSEED, RDRAND); -ENODEV where it has no source. Any context. */
int hal_entropy(void *buf, size_t n);
/* The last that core/ calls on a core that has left (core/cores.h): interrupts off, its alarm disarmed, on the stack
 * that it came up on. It may come back by core_join() and core_start() with a fresh stack. */
__noreturn void hal_core_left(void);
/* Power the board off; returns only if the board cannot. */
void hal_power_off(void);

#endif
