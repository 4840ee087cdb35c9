/* SPDX-License-Identifier: MIT */
/*
 * cpu_ops.h - context.S without privileged instructions: SRR0 and SRR1 are words of the register page, and
 * returning is a hypercall.  It takes r11, whose value waits in the page's first scratch word.
 */
#include <amalgam_calls.h>
#include "regpage.h"
.macro GET_PC reg lwz     \reg, REGPAGE_SRR0(0).endm.macro GET_MSR reg lwz     \reg,
    REGPAGE_SRR1(0).endm.macro SET_RETURN pc, msr stw     \pc, REGPAGE_SRR0(0) stw     \msr,
    REGPAGE_SRR1(0).endm.macro RETURN_FROM sp, size stw % r11,
    REGPAGE_SCRATCH(0) addi    \sp, \sp, \size li % r11, AMALGAM_RFI sc.endm
