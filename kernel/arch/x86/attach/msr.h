/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ATTACH_MSR_H
#define AMALGAM_ATTACH_MSR_H

#include "linux_cpu.h"

/* Do Linux' RDMSR or WRMSR that exited. Returns false: the caller raises #GP. */
bool attach_msr(struct linux_cpu *l, bool write);

/* Make the writes exit that this file decides on, by `trap` for each MSR. */
void attach_msr_seal(void (*trap)(u32 msr));

/* attach/msr_try.S: access an MSR that may be absent. Returns false if it is absent. attach/trap.c uses the labels. */
bool msr_try(u32 msr, u64 *value, bool write);
extern const char msr_at_risk_read[], msr_at_risk_write[], msr_failed[];

#endif
