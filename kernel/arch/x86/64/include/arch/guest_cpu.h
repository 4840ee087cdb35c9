/* SPDX-License-Identifier: MIT */
/*
 * arch/guest_cpu.h (x86, 64 bits, AMD-V) - the registers of a guest's processor by their names, for the machine model
 * (vm/pc).
 *
 * They lie where the hardware saves them, in the state save area of a VMCB (APM vol. 2, B.2), and are not copied:
 * vcpu_cpu() returns them. The other general registers, which VMRUN does not switch, are in hal_vcpu.regs. Code that
 * changes a register that the hardware caches calls vcpu_dirty().
 */
#ifndef AMALGAM_ARCH_GUEST_CPU_H
#define AMALGAM_ARCH_GUEST_CPU_H

#include <arch/amdv.h>
#include <arch/registers.h>

struct guest_cpu {
    u8 control[0x400]; /* the VMCB's control area, which is amdv's; counted here, so that no access adds an offset */
    struct vmcb_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr;
    u8 reserved_4a0[0x4cb - 0x4a0];
    u8 cpl;
    u32 reserved_4cc;
    u64 efer;
    u8 reserved_4d8[0x548 - 0x4d8];
    u64 cr4, cr3, cr0, dr7, dr6, rflags, rip;
    u8 reserved_580[0x5d8 - 0x580];
    u64 rsp;
    u8 reserved_5e0[0x5f8 - 0x5e0];
    u64 rax;
    u8 reserved_600[0x640 - 0x600];
    u64 cr2;
    u8 reserved_648[0x668 - 0x648];
    u64 pat;
};

#define GUEST_CPU_AT(field)                                                                                            \
    _Static_assert(offsetof(struct guest_cpu, field) == offsetof(struct vmcb, field),                                  \
                   "a name for the VMCB's bytes: " #field)
GUEST_CPU_AT(es);
GUEST_CPU_AT(cs);
GUEST_CPU_AT(ds);
GUEST_CPU_AT(gdtr);
GUEST_CPU_AT(ldtr);
GUEST_CPU_AT(tr);
GUEST_CPU_AT(cpl);
GUEST_CPU_AT(efer);
GUEST_CPU_AT(cr4);
GUEST_CPU_AT(cr3);
GUEST_CPU_AT(cr0);
GUEST_CPU_AT(dr7);
GUEST_CPU_AT(dr6);
GUEST_CPU_AT(rflags);
GUEST_CPU_AT(rip);
GUEST_CPU_AT(rsp);
GUEST_CPU_AT(rax);
GUEST_CPU_AT(cr2);
GUEST_CPU_AT(pat);

#include <arch/guest_modes.h>

#endif
