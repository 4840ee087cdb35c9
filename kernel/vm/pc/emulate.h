/* SPDX-License-Identifier: MIT */
/*
 * emulate.h - executes one instruction on a device register. emulate.c has the arithmetic and the strings, access.c the
 * accesses.
 *
 * An instruction reads and writes the device at most once. The vCPU changes only in the last step, so if the device
 * wants the access repeated or another operand is not mapped, the guest executes the instruction again.
 */
#ifndef AMALGAM_VM_PC_EMULATE_H
#define AMALGAM_VM_PC_EMULATE_H

#include <arch/decode.h>
#include <vm/vm.h>

struct pc_vcpu;

/* Execute the decoded instruction `i` at RIP, not a string instruction, whose memory operand is the device register
 * at `gpa`. */
void emulate(struct pc_vcpu *v, const struct insn *i, gpa_t gpa);
/*
 * Execute one iteration of a string instruction on the device register or port at `addr`; `write`: to the device. Steps
 * the registers, and also RIP unless the count says that another iteration follows. Returns true if another iteration
 * follows and nothing prevents it.
 */
bool emulate_string(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write);

/*
 * access.c: read or write (`write`) *value in a device, with the size of the memory operand of `i`. INS and OUTS access
 * a port, all others a register in memory, also the local APIC's. Bits above the size are ignored. Returns false if the
 * device wants the write repeated.
 */
bool device_access(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write, u64 *value);
/* Inject #PF: the guest's page is not present or does not permit the access. */
void page_fault(struct pc_vcpu *v, u64 va, bool write);
/* Inject #UD for an instruction on device memory that is not decoded; the first is logged. */
void not_decoded(struct pc_vcpu *v);

#endif
