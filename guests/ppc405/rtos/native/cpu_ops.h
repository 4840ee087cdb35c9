/* SPDX-License-Identifier: MIT */
/* cpu_ops.h - the privileged instructions of context.S. */
.macro GET_PC reg mfspr   \reg, SPR_SRR0.endm.macro GET_MSR reg mfspr   \reg, SPR_SRR1.endm.macro SET_RETURN pc,
    msr mtspr SPR_SRR0, \pc mtspr SPR_SRR1, \msr.endm
                                                /* All registers hold what they shall, but for the stack pointer. */
                                                .macro RETURN_FROM sp,
    size addi    \sp, \sp, \size rfi.endm
