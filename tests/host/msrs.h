/* SPDX-License-Identifier: MIT */
/* msrs.h - RDMSR, answered by the test: a read of an MSR that its processor does not have is for it to notice. */
#ifndef AMALGAM_TESTS_MSRS_H
#define AMALGAM_TESTS_MSRS_H

#include <types.h>

u64 host_rdmsr(u32 msr);
static inline u64 rdmsr(u32 msr) { return host_rdmsr(msr); }

#endif
