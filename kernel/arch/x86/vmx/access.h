/* SPDX-License-Identifier: MIT */
/* access.h - fields of the current VMCS, and instructions that C cannot express. The fields are known to be there:
 * vmx_check() has tried each. */
#ifndef AMALGAM_ARCH_X86_VMX_ACCESS_H
#define AMALGAM_ARCH_X86_VMX_ACCESS_H

#include <arch/debug_registers.h>
#include <types.h>

static inline u64 vmread(u32 field)
{
    u64 value;
    __asm__ volatile("vmread %1, %0" : "=r"(value) : "r"((u64)field) : "cc");
    return value;
}

static inline void vmwrite(u32 field, u64 value)
{
    __asm__ volatile("vmwrite %1, %0" ::"r"((u64)field), "r"(value) : "cc", "memory");
}

struct invalidate {
    u64 what, address;
};

/* Forget what was cached from the tables of one EPT pointer / for one VPID (31.3; both of type 1). */
static inline void invept(u64 eptp)
{
    struct invalidate d = { eptp, 0 };
    __asm__ volatile("invept %0, %1" ::"m"(d), "r"(1ul) : "cc", "memory");
}
static inline void invvpid(u64 vpid)
{
    struct invalidate d = { vpid, 0 };
    __asm__ volatile("invvpid %0, %1" ::"m"(d), "r"(1ul) : "cc", "memory");
}

struct hal_vcpu;
/* Enter the guest of the current VMCS until vmx_fast() does not resolve an exit (entry.S). Returns whether the entry
 * has failed. All registers but RBX are the guest's then, so the compiler saves of its own those that it still needs.
 */
static inline bool vmx_run(struct hal_vcpu *v)
{
    bool failed;
    __asm__ volatile("call vmx_run_guest"
                     : "=@ccnz"(failed), "+D"(v)
                     :
                     : "rax", "rcx", "rdx", "rsi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                       "memory");
    return failed;
}

/* Make a VMCS that was cleared once the current one. */
static inline void vmptrld(u64 physical) { __asm__ volatile("vmptrld %0" ::"m"(physical) : "cc", "memory"); }

static inline void lgdt(const u64 *base, u16 limit)
{
    struct {
        u16 limit;
        const u64 *base;
    } __packed gdtr = { limit, base };
    __asm__ volatile("lgdt %0" ::"m"(gdtr) : "memory");
}
/* Take an NMI that ended a guest's run: its IRET permits the next one. */
static inline void take_nmi(void) { __asm__ volatile("int $2" ::: "memory"); }

#endif
