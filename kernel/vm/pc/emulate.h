/* SPDX-License-Identifier: MIT */
/*
 * emulate.h - one instruction on a device's register: emulate.c has its arithmetic and its strings, access.c what
 * they stand on.
 *
 * An instruction is at most a read and a write of the device. Nothing in the vCPU changes before its last step: when
 * a device wants the access again, or another operand misses, the guest executes it once more.
 */
#ifndef AMALGAM_VM_PC_EMULATE_H
#define AMALGAM_VM_PC_EMULATE_H

#include <arch/decode.h>
#include <vm/vm.h>

struct pc_vcpu;

/* The decoded instruction `i`, not one on strings, at RIP, whose memory operand is the device register at `gpa`. */
void emulate(struct pc_vcpu *v, const struct insn *i, gpa_t gpa);
/*
 * One iteration of a string instruction on the device register or port at `addr`; `write`: towards that. Steps the
 * registers, and over the instruction unless the count says once more. True: that, and nothing stands in the way.
 */
bool emulate_string(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write);

/*
 * access.c: read *value or write it (`write`), as wide as the memory operand of `i`; INS and OUTS: the port, all
 * others: the register in memory, the local APIC's among them. Bytes above that width count for nothing. False: the
 * device wants the write again.
 */
bool device_access(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write, u64 *value);
/* A page of the guest's is not there, or not for this. */
void page_fault(struct pc_vcpu *v, u64 va, bool write);
/* #UD for an instruction on device memory that is not decoded, and a word about the first in the log. */
void not_decoded(struct pc_vcpu *v);

#endif
