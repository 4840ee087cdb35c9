/* SPDX-License-Identifier: MIT */
/* arch/cpu.h (RISC-V) - the inline half of hal/cpu.h, and control and status registers. */
#ifndef AMALGAM_ARCH_CPU_H
#define AMALGAM_ARCH_CPU_H

#include <types.h>

#define SSTATUS_SIE  (1ul << 1)
#define SSTATUS_SPIE (1ul << 5)
#define SSTATUS_SPP  (1ul << 8)
#define SSTATUS_FS   (3ul << 13)
#define SSTATUS_SUM  (1ul << 18)

/* Bits of sie and sip; with the highest bit set also codes of scause (4.1.3, 4.1.8). */
#define INT_SOFT     1
#define INT_TIMER    5
#define INT_EXTERNAL 9
#define SIP_SSIP     (1ul << INT_SOFT)
#define SIE_STIE     (1ul << INT_TIMER)

#define csr_read(csr)                                                                                                  \
    ({                                                                                                                 \
        unsigned long v_;                                                                                              \
        __asm__ volatile("csrr %0, " #csr : "=r"(v_)::"memory");                                                       \
        v_;                                                                                                            \
    })
#define csr_write(csr, v) __asm__ volatile("csrw " #csr ", %0" ::"rK"(v) : "memory")
#define csr_set(csr, v)   __asm__ volatile("csrs " #csr ", %0" ::"rK"(v) : "memory")
#define csr_read_set(csr, v)                                                                                           \
    ({                                                                                                                 \
        unsigned long v_;                                                                                              \
        __asm__ volatile("csrrs %0, " #csr ", %1" : "=r"(v_) : "rK"(v) : "memory");                                    \
        v_;                                                                                                            \
    })
#define csr_clear(csr, v) __asm__ volatile("csrc " #csr ", %0" ::"rK"(v) : "memory")

struct cpu;

/* tp points to the core's record while the kernel runs. */
static inline struct cpu *this_cpu_here(void)
{
    struct cpu *c;
    __asm__ volatile("mv %0, tp" : "=r"(c));
    return c;
}

static inline struct cpu *this_cpu(void) { return this_cpu_here(); }

static inline unsigned long irq_save(void)
{
    unsigned long status;
    __asm__ volatile("csrrci %0, sstatus, 2" : "=r"(status)::"memory");
    return status & SSTATUS_SIE;
}

static inline void irq_restore(unsigned long flags) { csr_set(sstatus, flags); }
static inline bool irq_enabled(void) { return csr_read(sstatus) & SSTATUS_SIE; }
static inline void irq_enable(void) { csr_set(sstatus, SSTATUS_SIE); }
static inline void irq_disable(void) { csr_clear(sstatus, SSTATUS_SIE); }
/* A hart tests for pending interrupts when the bit is written. */
static inline void irq_window(void)
{
    if (irq_enabled())
        irq_enable();
}

/*
 * Let other harts run in a spin loop.
 *
 * The emulator runs a hart until it waits, and `pause` is no wait. WFI with a pending interrupt is one, so we raise a
 * software interrupt for it. That stays pending, since a real request may be in it: it is taken later and may find
 * nothing to do. WFI ends only for an interrupt that is enabled in sie (3.3.3), and cpu_defer_ipi() may have disabled
 * this one, so it is enabled meanwhile; interrupts are off, so that it is not taken.
 */
static __noinline void cpu_relax(void)
{
    unsigned long flags = irq_save(), enabled = csr_read_set(sie, SIP_SSIP);
    csr_set(sip, SIP_SSIP);
    __asm__ volatile("wfi" ::: "memory");
    csr_write(sie, enabled);
    irq_restore(flags);
}

static inline unsigned bit_msb32(u32 v)
{
    unsigned r = 0;
    for (unsigned step = 16; step; step >>= 1)
        if (v >> step) {
            v >>= step;
            r += step;
        }
    return r;
}

static inline void mp_fence(void) { __asm__ volatile("fence rw, rw" ::: "memory"); }

#endif
