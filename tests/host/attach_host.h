/* SPDX-License-Identifier: MIT */
/* attach_host.h - x86.h, and the MSRs that attaching reads and writes. */
#ifndef AMALGAM_TESTS_ATTACH_HOST_H
#define AMALGAM_TESTS_ATTACH_HOST_H

#include "x86.h"

/* arch/amdv.h has the same. */
#define MSR_VM_CR 0xc0010114u

/* A test of what accesses ports defines them. */
void outb(u16 port, u8 v);
void outw(u16 port, u16 v);
void outl(u16 port, u32 v);
u8 inb(u16 port);
u16 inw(u16 port);
u32 inl(u16 port);

/* A test of what maps pages defines it, and shows the page that the entry says. */
void invlpg(const void *page);

/* A test of what sets memory types defines them. */
unsigned long read_cr0(void);
void write_cr0(unsigned long v);

/* A test of what writes caches back defines them. */
void wbinvd(void);
void clflush(const void *line);

extern u64 written_pat; /* 0: nobody wrote it */
extern u64 written_vm_cr;
__attribute__((weak)) u64 written_tsc, written_barriers, written_deadline;
/* What RDMSR finds in SYSCFG; a test that needs another value sets it. */
__attribute__((weak)) u64 host_syscfg;
static inline void wrmsr(u32 msr, u64 v)
{
    if (msr == MSR_PAT)
        written_pat = v;
    if (msr == MSR_VM_CR)
        written_vm_cr = v;
    if (msr == 0x49)
        written_barriers += v;
    if (msr == 0x10)
        written_tsc = v;
    if (msr == 0x6e0)
        written_deadline = v;
}
static inline u64 rdmsr(u32 msr)
{
    return msr == MSR_VM_CR ? written_vm_cr : msr == MSR_APIC_BASE ? 0xfee00900 : msr == 0xc0010010 ? host_syscfg : 0;
}

#endif
