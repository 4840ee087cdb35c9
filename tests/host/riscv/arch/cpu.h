/* SPDX-License-Identifier: MIT */
/* arch/cpu.h for RISC-V code on the host: the registers sie and sip are variables, and WFI asks what would end it.
 * cpu_relax() is the port's own, taken out of its header (relax.mk). */
#ifndef AMALGAM_ARCH_CPU_H
#define AMALGAM_ARCH_CPU_H

#include <types.h>

#define SSTATUS_SIE  (1ul << 1)
#define SSTATUS_SPIE (1ul << 5)
#define INT_SOFT     1
#define INT_TIMER    5
#define INT_EXTERNAL 9
#define SIP_SSIP     (1ul << INT_SOFT)
#define SIE_STIE     (1ul << INT_TIMER)

extern unsigned long host_sie, host_sip;
extern bool host_irq_on;
extern struct cpu *host_this_cpu;

#define csr_read(csr)     (host_##csr)
#define csr_write(csr, v) (host_##csr = (v))
#define csr_set(csr, v)   (host_##csr |= (v))
#define csr_clear(csr, v) (host_##csr &= ~(v))
#define csr_read_set(csr, v)                                                                                           \
    ({                                                                                                                 \
        unsigned long was_ = host_##csr;                                                                               \
        host_##csr |= (v);                                                                                             \
        was_;                                                                                                          \
    })

/* The hart waits. A test defines it. */
void host_wfi(void);

static inline struct cpu *this_cpu(void) { return host_this_cpu; }
static inline struct cpu *this_cpu_here(void) { return host_this_cpu; }
static inline unsigned long irq_save(void)
{
    unsigned long was = host_irq_on;
    host_irq_on = false;
    return was;
}
static inline void irq_restore(unsigned long flags) { host_irq_on |= flags != 0; }
static inline void irq_enable(void) { host_irq_on = true; }
static inline void irq_disable(void) { host_irq_on = false; }
static inline bool irq_enabled(void) { return host_irq_on; }
static inline void irq_window(void) {}
static inline void mp_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#include <generated/riscv_relax.h>

#endif
