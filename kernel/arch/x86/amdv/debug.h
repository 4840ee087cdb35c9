/* SPDX-License-Identifier: MIT */
/* debug.h - whose breakpoints are in a core's debug registers. */
#ifndef AMALGAM_ARCH_AMDV_DEBUG_H
#define AMALGAM_ARCH_AMDV_DEBUG_H

#include <arch/vcpu.h>

/* This core's become the vCPU's, on its thread, interrupts off; who had them is sent here when it needs them again. */
void amdv_take_debug(struct hal_vcpu *v);
/* The vCPU is going; it does not run. */
void amdv_forget_debug(struct hal_vcpu *v);

#endif
