/* SPDX-License-Identifier: MIT */
/* event.h - what amdv/vcpu.c tells amdv/event.c of after an exit; all on the vCPU's own thread. */
#ifndef AMALGAM_ARCH_AMDV_EVENT_H
#define AMALGAM_ARCH_AMDV_EVENT_H

#include <arch/vcpu.h>

/* An event was on its way in when the guest left: it is due again. */
void amdv_reinject(struct hal_vcpu *v);
/* The IRET of an NMI handler was intercepted / has been stepped over: NMIs are open again after the latter. */
void amdv_iret_begins(struct hal_vcpu *v);
void amdv_iret_done(struct hal_vcpu *v);

#endif
