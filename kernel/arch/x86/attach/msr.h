/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ATTACH_MSR_H
#define AMALGAM_ATTACH_MSR_H

#include "linux_cpu.h"

/* Linux' RDMSR or WRMSR that exited. False: #GP. */
bool attach_msr(struct linux_cpu *l, bool write);

/* Have the writes exit that this file decides on; `trap` for each. */
void attach_msr_seal(void (*trap)(u32 msr));

/* attach/msr_try.S: access an MSR that may not be there; false: it is not. The labels are for attach/trap.c. */
bool msr_try(u32 msr, u64 *value, bool write);
extern const char msr_at_risk_read[], msr_at_risk_write[], msr_failed[];

#endif
