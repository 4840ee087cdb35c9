/* SPDX-License-Identifier: MIT */
/* event.h - functions of amdv/event.c that amdv/vcpu.c calls after an exit, on the vCPU's own thread. */
#ifndef AMALGAM_ARCH_AMDV_EVENT_H
#define AMALGAM_ARCH_AMDV_EVENT_H

#include <arch/vcpu.h>

/* An event was being delivered when the guest exited: inject it again. */
void amdv_reinject(struct hal_vcpu *v);
/* The IRET of an NMI handler was intercepted / has been executed. After the latter the guest can take NMIs again; it
 * returns whether the single step was ours alone: the guest does not get its #DB. */
void amdv_iret_begins(struct hal_vcpu *v);
bool amdv_iret_done(struct hal_vcpu *v);

#endif
