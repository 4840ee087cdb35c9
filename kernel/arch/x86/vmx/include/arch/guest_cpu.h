/* SPDX-License-Identifier: MIT */
/*
 * arch/guest_cpu.h (x86, 64 bits, VT-x) - the registers of a guest's processor by their names, for the machine model
 * (vm/pc): a copy of fields of the VMCS (vmx/fields.c), with segments in the format of AMD-V (arch/amdv.h).
 *
 * After each exit RAX, RIP and RFLAGS are the guest's, after a hypercall CPL. After exits whose handling needs more
 * (vmx/exit.c) CPL, RSP, CR0, CR3, CR4, EFER, CS' attributes and the segments' bases are, too, in code of 64 bits those
 * of FS and GS alone; CR2 and CS' selector after a triple fault or an exit that nobody asked for. Code that changes one
 * of these calls vcpu_dirty() with its group, before it changes CR2; RSP needs none. The tables and the other parts of
 * segments are only written, after a reset.
 */
#ifndef AMALGAM_ARCH_GUEST_CPU_H
#define AMALGAM_ARCH_GUEST_CPU_H

#include <arch/amdv.h>
#include <arch/registers.h>

struct guest_cpu {
    u64 rax;                                  /* first: vmx/entry.S */
    u64 cr4, cr3, cr0, dr7, dr6, rflags, rip; /* in the order of struct guest_entry */
    u64 rsp, efer, cr2, pat;
    struct vmcb_segment es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr;
    u8 cpl;
};

#include <arch/guest_modes.h>

#endif
