/* SPDX-License-Identifier: MIT */
/*
 * hal/vcpu.h - running a guest.  vcpu_run() enters it and *returns* with a decoded
 * reason; the architecture never calls into vm/.
 *
 * <arch/vcpu.h> defines `struct hal_vcpu`: registers and control block of one
 * virtual CPU, whose named registers the machine model for that ISA (vm/pc for
 * x86-64) may read and write between runs.
 */
#ifndef AMALGAM_HAL_VCPU_H
#define AMALGAM_HAL_VCPU_H

#include <types.h>
#include <hal/memory.h>

enum vcpu_reason {
    VCPU_EXIT_IRQ,  /* this core has an interrupt to take, or was asked to look */
    VCPU_EXIT_IDLE, /* the guest waits for an interrupt (HLT, MWAIT) */
    VCPU_EXIT_HYPERCALL,
    VCPU_EXIT_PIO,  /* addr = port */
    VCPU_EXIT_MMIO, /* addr = guest-physical address that no RAM backs; the machine model decodes the instruction */
    VCPU_EXIT_CPUID,
    VCPU_EXIT_MSR,    /* the registers say which */
    VCPU_EXIT_WINDOW, /* the guest can take an interrupt now */
    VCPU_EXIT_OTHER,  /* a privileged instruction of the ISA that its machine model handles; addr = raw exit code */
    VCPU_EXIT_TRIPLE, /* triple fault: the guest reset itself the hard way */
    VCPU_EXIT_FAULT,  /* cannot go on; why = text for the report */
    VCPU_EXIT_REASONS
};

struct vcpu_exit {
    u8 reason;  /* enum vcpu_reason */
    bool write; /* PIO, MMIO: the guest writes `value` */
    u8 size;    /* bytes of a PIO or MMIO access */
    u8 length;  /* of the instruction, 0 unknown */
    u64 addr;
    u64 value;
    const char *why;
};

struct hal_vcpu;

/* Make the calling core ready for guests, once; -ENODEV, -EOPNOTSUPP with the reason logged. Bound thread. */
int hal_guest_enable(void);
int hal_vcpu_create(struct hal_vcpu *v, struct stage2 *s2, unsigned index);
/* Free what that allocated, overwritten; no core knows `v` any more. No vCPU runs that ran on the same core. */
void hal_vcpu_destroy(struct hal_vcpu *v);
/*
 * Run until an exit that needs somebody else; fills *e. Called and returns with
 * interrupts disabled. Exits that only this layer need know (and those that the
 * machine model marked as fast) may be resolved inside.
 */
void vcpu_run(struct hal_vcpu *v, struct vcpu_exit *e);
/* Finish a read that vcpu_run returned (PIO in, MMIO load): put `value` where it belongs and step over it. */
void vcpu_complete_read(struct hal_vcpu *v, const struct vcpu_exit *e, u64 value);
/* Step over the instruction of a write or other exit. */
void vcpu_complete(struct hal_vcpu *v, const struct vcpu_exit *e);
/* Nested translations of this vCPU are stale. */
void vcpu_flush(struct hal_vcpu *v);

#endif
