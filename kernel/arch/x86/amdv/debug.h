/* SPDX-License-Identifier: MIT */
/* debug.h - the owner of a core's debug registers. */
#ifndef AMALGAM_ARCH_AMDV_DEBUG_H
#define AMALGAM_ARCH_AMDV_DEBUG_H

#include <arch/vcpu.h>

/* Load the vCPU's DR0-3 into this core's registers; the last owner comes back here when it needs its own. On the
 * vCPU's thread, interrupts off. */
void amdv_take_debug(struct hal_vcpu *v);
/* The vCPU, which does not run, is reset: its DR0-3 are 0, whatever a core's registers still have of them. Its VMCB is
 * changed no more by another vCPU that takes them. Any core, any context. */
void amdv_reset_debug(struct hal_vcpu *v);
/* The vCPU, which does not run, is being destroyed: no core looks at it any more. Any core, any context. */
void amdv_forget_debug(struct hal_vcpu *v);

#endif
