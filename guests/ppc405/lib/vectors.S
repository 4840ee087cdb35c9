/* SPDX-License-Identifier: MIT */
/*
 * vectors.S - saves an exception's state in struct frame and calls exception() in C; and try().
 *
 * A handler must not change any register before it is saved, SPRG0-7 included, because the program under test may use
 * them. So registers are saved at fixed addresses that need no base register. These are real addresses, because exceptions
 * run in real mode.
 */
#include <guest.h>

        .macro  ENTRY offset, class, frame
        .org    vectors + \offset
        stmw    %r0, \frame(0)
        li      %r3, \offset
        b       \class
        .endm

        .section .vectors, "ax"
        .globl  vectors
vectors:
        ENTRY   VEC_CRITICAL, critical, FRAME_CRITICAL
        ENTRY   VEC_MCHECK, critical, FRAME_CRITICAL
        ENTRY   VEC_DSI, normal, FRAME
        ENTRY   VEC_ISI, normal, FRAME
        ENTRY   VEC_EXTERNAL, normal, FRAME
        ENTRY   VEC_ALIGN, normal, FRAME
        ENTRY   VEC_PROGRAM, normal, FRAME
        ENTRY   VEC_SC, normal, FRAME
        ENTRY   VEC_PIT, normal, FRAME
        ENTRY   VEC_FIT, normal, FRAME
        ENTRY   VEC_WDT, critical, FRAME_CRITICAL
        ENTRY   VEC_DTLB, normal, FRAME
        ENTRY   VEC_ITLB, normal, FRAME
        ENTRY   VEC_DEBUG, critical, FRAME_CRITICAL

        .macro  COMMON class, frame, srr_pc, srr_msr, return
\class:
        stw     %r3, \frame + FRAME_VECTOR(0)
        mfspr   %r4, \srr_pc
        stw     %r4, \frame + FRAME_PC(0)
        mfspr   %r4, \srr_msr
        stw     %r4, \frame + FRAME_MSR(0)
        mfcr    %r4
        stw     %r4, \frame + FRAME_CR(0)
        mflr    %r4
        stw     %r4, \frame + FRAME_LR(0)
        mfctr   %r4
        stw     %r4, \frame + FRAME_CTR(0)
        mfxer   %r4
        stw     %r4, \frame + FRAME_XER(0)
        mfspr   %r4, SPR_ESR
        stw     %r4, \frame + FRAME_ESR(0)
        mfspr   %r4, SPR_DEAR
        stw     %r4, \frame + FRAME_DEAR(0)
        mfmsr   %r4
        stw     %r4, \frame + FRAME_INSIDE(0)
        lis     %r1, stack_\class@ha
        addi    %r1, %r1, stack_\class@l
        li      %r3, \frame
        bl      exception
        lwz     %r4, \frame + FRAME_PC(0)
        mtspr   \srr_pc, %r4
        lwz     %r4, \frame + FRAME_MSR(0)
        mtspr   \srr_msr, %r4
        lwz     %r4, \frame + FRAME_CR(0)
        mtcr    %r4
        lwz     %r4, \frame + FRAME_LR(0)
        mtlr    %r4
        lwz     %r4, \frame + FRAME_CTR(0)
        mtctr   %r4
        lwz     %r4, \frame + FRAME_XER(0)
        mtxer   %r4
        lmw     %r1, \frame + 4(0)
        lwz     %r0, \frame(0)
        \return
        .endm
        .text
        COMMON  normal, FRAME, SPR_SRR0, SPR_SRR1, rfi
        COMMON  critical, FRAME_CRITICAL, SPR_SRR2, SPR_SRR3, rfci

/* void try_enter(void): load the registers at TRY and run. try_leave(), which the exception calls, returns from this call.
 */
        .globl  try_enter, try_leave
try_enter:
        stwu    %r1, -96(%r1)
        stmw    %r13, 20(%r1)
        mflr    %r0
        stw     %r0, 100(%r1)
        mfcr    %r0
        stw     %r0, 16(%r1)
        lis     %r4, try_stack@ha
        stw     %r1, try_stack@l(%r4)
        lwz     %r4, TRY + FRAME_PC(0)
        mtspr   SPR_SRR0, %r4
        lwz     %r4, TRY + FRAME_MSR(0)
        mtspr   SPR_SRR1, %r4
        lwz     %r4, TRY + FRAME_CR(0)
        mtcr    %r4
        lwz     %r4, TRY + FRAME_LR(0)
        mtlr    %r4
        lwz     %r4, TRY + FRAME_CTR(0)
        mtctr   %r4
        lwz     %r4, TRY + FRAME_XER(0)
        mtxer   %r4
        lmw     %r1, TRY + 4(0)
        lwz     %r0, TRY(0)
        rfi
try_leave:
        li      %r0, 0
        mtmsr   %r0
        isync
        lis     %r4, try_stack@ha
        lwz     %r1, try_stack@l(%r4)
        lwz     %r0, 16(%r1)
        mtcr    %r0
        lwz     %r0, 100(%r1)
        mtlr    %r0
        lmw     %r13, 20(%r1)
        addi    %r1, %r1, 96
        blr

        .section .bss
        .balign 16
        .space  4096
stack_normal:
        .space  16
        .space  4096
stack_critical:
        .space  16
try_stack:
        .space  4
