/* SPDX-License-Identifier: MIT */
/*
 * hal/vcpu.h - runs a guest. vcpu_run() enters it and *returns* with a decoded reason; the architecture never calls
 * into vm/.
 *
 * <arch/vcpu.h> defines `struct hal_vcpu`: registers and control block of a virtual CPU. The machine model for that ISA
 * (vm/pc for x86-64) may read and write its named registers between runs.
 */
#ifndef AMALGAM_HAL_VCPU_H
#define AMALGAM_HAL_VCPU_H

#include <types.h>
#include <hal/memory.h>

enum vcpu_reason {
    VCPU_EXIT_IRQ,  /* this core has an interrupt to take, or was asked to look */
    VCPU_EXIT_IDLE, /* the guest waits for an interrupt (HLT, MWAIT) */
    VCPU_EXIT_HYPERCALL,
    VCPU_EXIT_PIO, /* addr = port */
    /* addr = guest-physical address without RAM; the machine model decodes the instruction, or with guests in ring 1
       the architecture has (size 0: it is none that is known) */
    VCPU_EXIT_MMIO,
    VCPU_EXIT_CPUID,
    VCPU_EXIT_MSR,    /* the registers say which one */
    VCPU_EXIT_WINDOW, /* the guest can take an interrupt now */
    VCPU_EXIT_OTHER,  /* a privileged instruction that the machine model handles; addr = raw exit code */
    VCPU_EXIT_TRIPLE, /* triple fault: the guest reset itself the hard way */
    VCPU_EXIT_FAULT,  /* the guest cannot continue; why = text for the report */
    VCPU_EXIT_REASONS
};

struct vcpu_exit {
    u8 reason;  /* enum vcpu_reason */
    bool write; /* PIO, MMIO: the guest writes `value` */
    u8 size;    /* bytes of a PIO or MMIO access */
    u8 length;  /* of the instruction, 0: unknown */
    u64 addr;
    u64 value;
    const char *why;
};

struct hal_vcpu;

/* Prepare the calling core for guests; only the first call does. Returns 0, or -ENODEV, -EOPNOTSUPP with the reason
 * logged. Bound thread. */
int hal_guest_enable(void);
int hal_vcpu_create(struct hal_vcpu *v, struct stage2 *s2, unsigned index);
/* Overwrite and free what hal_vcpu_create() allocated; no core refers to `v` afterwards. No vCPU runs that ran on the
 * same core. */
void hal_vcpu_destroy(struct hal_vcpu *v);
/*
 * Run until an exit that another component must handle; sets *e. Exits that only this layer needs, and those that the
 * machine model handles on its fast path, may be resolved inside. Called and returns with interrupts off.
 */
void vcpu_run(struct hal_vcpu *v, struct vcpu_exit *e);
/* Finish a read that vcpu_run returned (PIO in, MMIO load): write `value` to its destination and step over the
 * instruction. */
void vcpu_complete_read(struct hal_vcpu *v, const struct vcpu_exit *e, u64 value);
/* Step over the instruction of a write or other exit. */
void vcpu_complete(struct hal_vcpu *v, const struct vcpu_exit *e);
/* Nested translations of this vCPU are stale: flush them before it next runs. */
void vcpu_flush(struct hal_vcpu *v);

#endif
