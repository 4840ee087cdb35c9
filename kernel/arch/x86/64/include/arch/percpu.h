/* SPDX-License-Identifier: MIT */
/* arch/percpu.h (x86, 64 bits) - the architecture's part of a core's record; GS points to it. Files for both widths
 * use `self`, `apic_id` and `deadline`. */
#ifndef AMALGAM_ARCH_PERCPU_H
#define AMALGAM_ARCH_PERCPU_H

#include <types.h>

struct cpu;
struct hal_vcpu;

/* State of a core that its guests share (amdv/vcpu.c). */
struct amdv_core {
    const struct hal_vcpu *last; /* the vCPU whose ASID and TSC_AUX are in place; NULL: none */
    u64 generation;              /* of ASIDs; 64 bits never come round */
    u32 next;                    /* the next ASID of this generation */
    u32 tsc_aux;
};

struct tss {
    u32 reserved0;
    u64 rsp[3];
    u64 reserved1;
    u64 ist[7];
    u64 reserved2;
    u16 reserved3, iomap;
} __packed;

_Static_assert(sizeof(struct tss) == 104, "APM vol 2, 12.2.5");

struct arch_cpu {
    struct cpu *self; /* %gs:0 */
    u32 apic_id;
    ticks_t deadline;  /* the last argument of hal_timer_arm() */
    paddr_t host_save; /* AMD-V host state area of this core */
    paddr_t host_vmcb; /* VMSAVE image of the kernel's own FS, GS, TR, LDTR and syscall MSRs */
    struct amdv_core amdv;
    u64 gdt[8];
    struct tss tss;
    u8 host_area[2][PAGE_SIZE] __aligned(4096); /* memory of host_save and host_vmcb */
};

#endif
