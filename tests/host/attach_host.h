/* SPDX-License-Identifier: MIT */
/* attach_host.h - x86.h, and the MSRs that attaching reads and writes. */
#ifndef AMALGAM_TESTS_ATTACH_HOST_H
#define AMALGAM_TESTS_ATTACH_HOST_H

#include "x86.h"

#define MSR_EFER 0xc0000080u
#define MSR_PAT  0x277u

extern u64 written_pat; /* 0: nobody wrote it */
static inline void wrmsr(u32 msr, u64 v)
{
    if (msr == MSR_PAT)
        written_pat = v;
}

#endif
