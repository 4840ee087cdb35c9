/* SPDX-License-Identifier: MIT */
/* vmx_host.h - x86.h, and what VT-x has: the current VMCS is an array by encoding, MSRs and debug registers are words.
 */
#ifndef AMALGAM_TESTS_VMX_HOST_H
#define AMALGAM_TESTS_VMX_HOST_H
#define AMALGAM_ARCH_X86_VMX_ACCESS_H /* instead of vmx/access.h */

#include "x86.h"
#include "debug_registers_host.h"
#include "msrs.h"

struct fake_vmcs {
    u64 field[0x8000];
    unsigned written[0x8000]; /* how often */
};
extern struct fake_vmcs *current_vmcs;
extern u64 host_cr2;
extern void (*host_reading_cr2)(void); /* what another core does meanwhile, once; NULL: nothing */
extern unsigned nmis_taken, gdt_limit;

void host_wrmsr(u32 msr, u64 value);
static inline void wrmsr(u32 msr, u64 value) { host_wrmsr(msr, value); }
static inline unsigned long read_cr3(void) { return 0; }
static inline unsigned long read_cr2(void)
{
    void (*elsewhere)(void) = host_reading_cr2;
    host_reading_cr2 = NULL;
    if (elsewhere)
        elsewhere();
    return host_cr2;
}
static inline void write_cr2(unsigned long v) { host_cr2 = v; }

static inline u64 vmread(u32 field) { return current_vmcs->field[field]; }
static inline void vmwrite(u32 field, u64 value)
{
    current_vmcs->field[field] = value;
    current_vmcs->written[field]++;
}
struct hal_vcpu;
bool vmx_run(struct hal_vcpu *v);
void invept(u64 eptp);
void invvpid(u64 vpid);
void vmptrld(u64 physical);
static inline void lgdt(const u64 *base, u16 limit) { gdt_limit = limit; }
static inline void take_nmi(void) { nmis_taken++; }

#endif
