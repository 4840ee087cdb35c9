/* SPDX-License-Identifier: MIT */
/* arch/cpu.h (x86) - the inline half of hal/cpu.h, and instructions that C cannot express. */
#ifndef AMALGAM_ARCH_CPU_H
#define AMALGAM_ARCH_CPU_H

#include <arch/registers.h>
#include <types.h>

struct cpu;

/* In line for the shortest paths; the instruction has nine bytes. A kernel for one core knows its record when it is
 * linked. */
extern struct cpu only_cpu;
static __inlined struct cpu *this_cpu_here(void)
{
    struct cpu *c = &only_cpu;
    if (MAX_CPUS > 1)
        __asm__ volatile("mov %%gs:0, %0" : "=r"(c));
    return c;
}

static __noinline struct cpu *this_cpu_called(void) { return this_cpu_here(); }
static __inlined struct cpu *this_cpu(void) { return MAX_CPUS > 1 ? this_cpu_called() : this_cpu_here(); }

static inline unsigned long irq_save(void)
{
    unsigned long flags;
    __asm__ volatile("pushf; pop %0; cli" : "=r"(flags)::"memory");
    return flags;
}

static inline bool irq_enabled(void)
{
    unsigned long flags;
    __asm__ volatile("pushf; pop %0" : "=r"(flags));
    return flags & RFLAGS_IF;
}

static inline void irq_enable(void) { __asm__ volatile("sti" ::: "memory"); }
static inline void irq_disable(void) { __asm__ volatile("cli" ::: "memory"); }

static inline void irq_restore(unsigned long flags)
{
    if (flags & RFLAGS_IF)
        irq_enable();
}

/* POPF, because QEMU checks for interrupts after it; it does not after STI, RET, CLI in chained blocks. */
static inline void irq_window(void) { __asm__ volatile("pushf; popf" ::: "memory", "cc"); }

static inline void cpu_relax(void) { __asm__ volatile("pause" ::: "memory"); }
/* Stop this core: hal_halt() without what the core may have to leave first. */
static inline __noreturn void halt_for_good(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}
static inline unsigned bit_msb32(u32 v)
{
    u32 r;
    __asm__("bsr %1, %0" : "=r"(r) : "rm"(v));
    return r;
}

static inline void outb(u16 port, u8 v) { __asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port)); }
static inline void outw(u16 port, u16 v) { __asm__ volatile("outw %0, %1" ::"a"(v), "Nd"(port)); }
static inline void outl(u16 port, u32 v) { __asm__ volatile("outl %0, %1" ::"a"(v), "Nd"(port)); }
static inline u8 inb(u16 port)
{
    u8 v;
    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}
static inline u16 inw(u16 port)
{
    u16 v;
    __asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}
static inline u32 inl(u16 port)
{
    u32 v;
    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline u64 rdmsr(u32 msr)
{
    u32 lo, hi;
    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr) : "memory");
    return lo | (u64)hi << 32;
}
static inline void wrmsr(u32 msr, u64 v)
{
    __asm__ volatile("wrmsr" ::"c"(msr), "a"((u32)v), "d"((u32)(v >> 32)) : "memory");
}

struct cpuid_regs {
    u32 eax, ebx, ecx, edx;
};

static inline struct cpuid_regs cpuid(u32 leaf, u32 sub)
{
    struct cpuid_regs r;
    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(sub));
    return r;
}

#define ARCH_READ_CR(n)                                                                                                \
    static inline unsigned long read_cr##n(void)                                                                       \
    {                                                                                                                  \
        unsigned long v;                                                                                               \
        __asm__ volatile("mov %%cr" #n ", %0" : "=r"(v)::"memory");                                                    \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline void write_cr##n(unsigned long v) { __asm__ volatile("mov %0, %%cr" #n ::"r"(v) : "memory"); }
ARCH_READ_CR(0)
ARCH_READ_CR(2)
ARCH_READ_CR(3)
ARCH_READ_CR(4)
#undef ARCH_READ_CR

static inline void invlpg(const void *page) { __asm__ volatile("invlpg (%0)" ::"r"(page) : "memory"); }
static inline void clflush(const void *line) { __asm__ volatile("clflush (%0)" ::"r"(line) : "memory"); }
static inline void wbinvd(void) { __asm__ volatile("wbinvd" ::: "memory"); }
static inline void xsetbv(u32 reg, u64 v) { __asm__ volatile("xsetbv" ::"c"(reg), "a"((u32)v), "d"((u32)(v >> 32))); }

#include <arch/width.h> /* last, because it uses the functions above */

#endif
