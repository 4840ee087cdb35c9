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

/*
 * The bits of HWCR that Linux may change say what instructions of the writing CPU do. Fixed stay those for memory, SMM
 * and the TSC's rate (SmmLock, TlbCacheDis, INVDWBINVD, SmiSpCycDis, RsmSpCycDis, LockTscToCurrentP0, TscFreqSel,
 * SmmBaseLock, SmmPgCfgLock), and those that the manuals do not name.
 */
#define MSR_HWCR 0xc0010015
#define HWCR_LINUX                                                                                                     \
    (1ul << 8     /* IgnneEm */                                                                                        \
     | 1ul << 9   /* MonMwaitDis */                                                                                    \
     | 1ul << 10  /* MonMwaitUserEn */                                                                                 \
     | 1ul << 17  /* Wrap32Dis */                                                                                      \
     | 1ul << 18  /* McStatusWrEn, for tests of machine checks */                                                      \
     | 1ul << 20  /* IoCfgGpFault */                                                                                   \
     | 1ul << 25  /* CpbDis: the governor's */                                                                         \
     | 1ul << 26  /* EffFreqCntMwait */                                                                                \
     | 1ul << 27  /* EffFreqReadOnlyLock */                                                                            \
     | 1ul << 30  /* IRPerfEn */                                                                                       \
     | 1ul << 35) /* CpuidUserDis: from Linux 6.17 on at switches between programs */

#endif
