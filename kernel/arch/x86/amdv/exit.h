/* SPDX-License-Identifier: MIT */
/* exit.h - functions of amdv/exit.c that amdv/vcpu.c calls after #VMEXIT, on the vCPU's own thread. */
#ifndef AMALGAM_ARCH_AMDV_EXIT_H
#define AMALGAM_ARCH_AMDV_EXIT_H

#include <arch/vcpu.h>

void amdv_decode(struct hal_vcpu *v, struct vmcb *b, struct vcpu_exit *e);
void amdv_decode_fault(struct vcpu_exit *e, const char *why);

/* Measure the instruction if the hardware does not say its length. */
static inline void amdv_measure(struct hal_vcpu *v, unsigned length)
{
    if (unlikely(v->vmcb->next_rip == RIP_UNKNOWN))
        v->measure(v, length);
}

#endif
