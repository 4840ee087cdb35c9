/* SPDX-License-Identifier: MIT */
/* x86.h - instructions that C cannot express. */
#ifndef GUEST_X86_H
#define GUEST_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MSR_APIC_BASE    0x1b
#define MSR_TSC_DEADLINE 0x6e0
#define MSR_X2APIC       0x800 /* + register offset / 16 */
#define MSR_EFER         0xc0000080

#define FLAGS_IF (1u << 9)

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpuid(uint32_t leaf, uint32_t sub)
{
    struct cpuid r;
    __asm__ volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "0"(leaf), "2"(sub));
    return r;
}

static inline uint64_t rdtsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t rdmsr(uint32_t msr)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr) : "memory");
    return (uint64_t)high << 32 | low;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)) : "memory");
}

static inline void outb(uint16_t port, uint8_t value) { __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port)); }
static inline void outw(uint16_t port, uint16_t value) { __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port)); }
static inline void outl(uint16_t port, uint32_t value) { __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port)); }

static inline uint8_t inb(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint16_t inw(uint16_t port)
{
    uint16_t value;
    __asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint32_t inl(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint32_t mmio_read(uintptr_t address) { return *(volatile uint32_t *)address; }
static inline void mmio_write(uintptr_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

static inline void irq_on(void) { __asm__ volatile("sti" : : : "memory"); }
static inline void irq_off(void) { __asm__ volatile("cli" : : : "memory"); }
static inline void cpu_relax(void) { __asm__ volatile("pause" : : : "memory"); }
/* Sleep until an interrupt. One that is already pending is not lost, because HLT is in the shadow of STI. Returns with
 * interrupts off. */
static inline void wait_irq(void) { __asm__ volatile("sti; hlt; cli" : : : "memory"); }

static inline uint64_t read_cr2(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}

static inline uint64_t read_cr3(void)
{
    uint64_t value;
    __asm__ volatile("mov %%cr3, %0" : "=r"(value));
    return value;
}

static inline void write_cr3(uint64_t value) { __asm__ volatile("mov %0, %%cr3" : : "r"(value) : "memory"); }

#endif
