/* SPDX-License-Identifier: MIT */
/*
 * table.S - one entry for each privileged instruction and encoding (PPC405 User's Manual, 9).
 *
 * TEST name, modes, r3, r4, r5: starts with these registers (r6 = address of the first instruction, all others a pattern)
 * and ends with the `sc` that fills the entry, or with an earlier exception. An instruction that would leave the entry in
 * privileged mode has only PROBLEM.
 */
#include <arch/regs.h>
#include "instructions.h"

        .macro  TEST name, modes, r3=0, r4=0, r5=0
        .section .rodata.names, "a"
.Lname\@: .asciz "\name"
        .section .rodata.tests, "a"
        .set    test_start, .
        .long   .Lname\@, \modes, \r3, \r4, \r5
        .endm
        .macro  END
        .fill   (test_start + TEST_SIZE - .) / 4, 4, 0x44000002
        .endm
/* An instruction without operands in registers, which problem mode may not execute. */
        .macro  REFUSED name, insn:vararg
        TEST    "\name", PROBLEM
        \insn
        END
        .endm
/* A register that keeps the written value, in the bits that the core has. */
        .macro  KEEPS name, n, value=0xffffffff
        TEST    "mtspr \name ones", PRIVILEGED, \value
        mfspr   %r10, \n
        mtspr   \n, %r3
        mfspr   %r4, \n
        mtspr   \n, %r10
        mfspr   %r5, \n
        END
        TEST    "mtspr \name pattern", PRIVILEGED, 0x25a5c3f1 & \value
        mfspr   %r10, \n
        mtspr   \n, %r3
        mfspr   %r31, \n
        mtspr   \n, %r10
        END
        REFUSED "mfspr \name", mfspr %r4, \n
        REFUSED "mtspr \name", mtspr \n, %r3
        .endm

        .section .rodata.tests, "a"
        .globl  tests, tests_end
tests:
        /* --- machine state register ------------------------------------------------ */
        TEST    "mfmsr", EVERYWHERE
        mfmsr   %r4
        mfmsr   %r31
        END
        TEST    "mtmsr 0", PROBLEM
        mtmsr   %r3
        END
        TEST    "mtmsr EE CE ME", PRIVILEGED, MSR_EE | MSR_CE | MSR_ME
        mfmsr   %r5
        or      %r3, %r3, %r5
        mtmsr   %r3
        mfmsr   %r4
        mtmsr   %r5
        mfmsr   %r10
        END
        TEST    "mtmsr DE DWE FP", PRIVILEGED, MSR_DE | MSR_DWE | MSR_FP
        mfmsr   %r5
        or      %r3, %r3, %r5
        mtmsr   %r3
        mfmsr   %r4
        mtmsr   %r5
        END
        TEST    "mtmsr reserved", PRIVILEGED, 0xfff808c9
        mfmsr   %r5
        or      %r3, %r3, %r5
        mtmsr   %r3
        mfmsr   %r4
        END
        TEST    "mtmsr PR", PRIVILEGED, MSR_PR
        mfmsr   %r5
        or      %r3, %r3, %r5
        mtmsr   %r3
        isync
        mfmsr   %r4
        END
        TEST    "mtmsr IR DR", PRIVILEGED, MSR_IR | MSR_DR
        mtmsr   %r3
        isync
        mfmsr   %r4
        END
        TEST    "mtmsr IR", PRIVILEGED, MSR_IR
        mtmsr   %r3
        isync
        mfmsr   %r4
        END
        TEST    "mtmsr DR", PRIVILEGED, MSR_DR
        mtmsr   %r3
        isync
        mfmsr   %r4
        END
        TEST    "wrtee 1", EVERYWHERE, 0xffffffff
        wrtee   %r3
        mfmsr   %r4
        END
        TEST    "wrtee 0", EVERYWHERE, 0xffff7fff
        wrteei  1
        wrtee   %r3
        mfmsr   %r4
        END
        TEST    "wrteei 1", EVERYWHERE
        wrteei  1
        mfmsr   %r4
        END
        TEST    "wrteei 0", EVERYWHERE
        wrteei  0
        mfmsr   %r4
        END
        TEST    "wrteei 1 0", PRIVILEGED
        wrteei  1
        wrteei  0
        mfmsr   %r4
        END
        /* --- return from interrupt ---------------------------------------------------- */
        REFUSED "rfi", rfi
        REFUSED "rfci", rfci
        TEST    "rfi same state", PRIVILEGED
        addi    %r7, %r6, 28
        mtspr   SPR_SRR0, %r7
        mfmsr   %r4
        mtspr   SPR_SRR1, %r4
        rfi
        li      %r8, 1
        li      %r9, 1
        END
        TEST    "rfi to problem mode", PRIVILEGED, MSR_PR
        addi    %r7, %r6, 28
        mtspr   SPR_SRR0, %r7
        mfmsr   %r4
        or      %r4, %r4, %r3
        mtspr   SPR_SRR1, %r4
        rfi
        li      %r9, 1
        mfmsr   %r5
        END
        TEST    "rfi odd address", PRIVILEGED
        addi    %r7, %r6, 31
        mtspr   SPR_SRR0, %r7
        mfmsr   %r4
        mtspr   SPR_SRR1, %r4
        rfi
        li      %r8, 1
        li      %r9, 1
        END
        TEST    "rfi all bits but WE and IR DR", PRIVILEGED, 0xfffbbfcf
        addi    %r7, %r6, 28
        mtspr   SPR_SRR0, %r7
        mfmsr   %r4
        or      %r4, %r4, %r3
        mtspr   SPR_SRR1, %r4
        rfi
        li      %r9, 1
        mfmsr   %r5
        END
        TEST    "rfci to problem mode", PRIVILEGED, MSR_PR
        addi    %r7, %r6, 28
        mtspr   SPR_SRR2, %r7
        mfmsr   %r4
        or      %r4, %r4, %r3
        mtspr   SPR_SRR3, %r4
        rfci
        li      %r9, 1
        mfmsr   %r5
        END
        TEST    "rfci other translation", PRIVILEGED, MSR_IR | MSR_DR
        addi    %r7, %r6, 28
        mtspr   SPR_SRR2, %r7
        mfmsr   %r4
        xor     %r4, %r4, %r3
        mtspr   SPR_SRR3, %r4
        rfci
        li      %r9, 1
        mfmsr   %r5
        END
        /* --- special purpose registers ------------------------------------------------------ */
        KEEPS   SRR0, SPR_SRR0
        KEEPS   SRR1, SPR_SRR1, 0x0006f630
        KEEPS   SRR2, SPR_SRR2, 0xfffffffc
        KEEPS   SRR3, SPR_SRR3, 0x0006f630
        KEEPS   SPRG0, SPR_SPRG0
        KEEPS   SPRG1, SPR_SPRG1
        KEEPS   SPRG2, SPR_SPRG2
        KEEPS   SPRG3, SPR_SPRG3
        KEEPS   SPRG4, SPR_SPRG4
        KEEPS   SPRG5, SPR_SPRG5
        KEEPS   SPRG6, SPR_SPRG6
        KEEPS   SPRG7, SPR_SPRG7
        KEEPS   USPRG0, SPR_USPRG0
        KEEPS   ESR, SPR_ESR
        KEEPS   DEAR, SPR_DEAR
        KEEPS   PID, SPR_PID, 0xff
        KEEPS   CCR0, SPR_CCR0
        KEEPS   SGR, SPR_SGR
        KEEPS   DCWR, SPR_DCWR
        KEEPS   SLER, SPR_SLER, 0x00000000
        KEEPS   SU0R, SPR_SU0R
        KEEPS   DCCR, SPR_DCCR
        KEEPS   ICCR, SPR_ICCR
        KEEPS   DBCR0, SPR_DBCR0, 0x01000000
        KEEPS   DBCR1, SPR_DBCR1, 0x00000000
        KEEPS   DBSR, SPR_DBSR, 0x00000000
        KEEPS   IAC1, SPR_IAC1, 0xfffffffc
        KEEPS   IAC2, SPR_IAC2, 0xfffffffc
        KEEPS   IAC3, SPR_IAC3, 0xfffffffc
        KEEPS   IAC4, SPR_IAC4, 0xfffffffc
        KEEPS   DAC1, SPR_DAC1
        KEEPS   DAC2, SPR_DAC2
        KEEPS   DVC1, SPR_DVC1
        KEEPS   DVC2, SPR_DVC2
        TEST    "mfspr SPRG4-7 user", EVERYWHERE
        mfspr   %r8, 260
        mfspr   %r9, 261
        mfspr   %r10, 262
        mfspr   %r11, 263
        END
        TEST    "USPRG0 user", EVERYWHERE, 0x0badcafe
        mfspr   %r10, SPR_USPRG0
        mtspr   SPR_USPRG0, %r3
        mfspr   %r4, SPR_USPRG0
        mtspr   SPR_USPRG0, %r10
        END
        TEST    "mtspr EVPR", PRIVILEGED, 0x7fffffff
        mfspr   %r10, SPR_EVPR
        mtspr   SPR_EVPR, %r3
        mfspr   %r4, SPR_EVPR
        mtspr   SPR_EVPR, %r10
        mfspr   %r5, SPR_EVPR
        END
        REFUSED "mtspr EVPR", mtspr SPR_EVPR, %r3
        REFUSED "mfspr EVPR", mfspr %r4, SPR_EVPR
        TEST    "mtspr ZPR", PRIVILEGED, 0x6fffffff
        mfspr   %r10, SPR_ZPR
        mtspr   SPR_ZPR, %r3
        mfspr   %r4, SPR_ZPR
        mtspr   SPR_ZPR, %r10
        mfspr   %r5, SPR_ZPR
        END
        REFUSED "mtspr ZPR", mtspr SPR_ZPR, %r3
        REFUSED "mfspr ZPR", mfspr %r4, SPR_ZPR
        TEST    "mfspr PVR", EVERYWHERE
        mfspr   %r4, SPR_PVR
        END
        REFUSED "mtspr TSR", mtspr SPR_TSR, %r3
        REFUSED "mfspr TSR", mfspr %r4, SPR_TSR
        REFUSED "mtspr TCR", mtspr SPR_TCR, %r3
        REFUSED "mfspr TCR", mfspr %r4, SPR_TCR
        REFUSED "mtspr PIT", mtspr SPR_PIT, %r3
        REFUSED "mfspr PIT", mfspr %r4, SPR_PIT
        REFUSED "mtspr TBL", mtspr SPR_TBL, %r3
        REFUSED "mtspr TBU", mtspr SPR_TBU, %r3
        REFUSED "mfspr ICDBDR", mfspr %r4, SPR_ICDBDR
        REFUSED "mtspr SPRG0 user alias", mtspr 260, %r3
        /* --- device control registers --------------------------------------------------------- */
        TEST    "mtdcr UIC ER", PRIVILEGED, 0x7fc0ffff
        mfdcr   %r10, DCR_UIC + UIC_ER
        mtdcr   DCR_UIC + UIC_ER, %r3
        mfdcr   %r4, DCR_UIC + UIC_ER
        mtdcr   DCR_UIC + UIC_ER, %r10
        END
        TEST    "mtdcr UIC CR PR TR", PRIVILEGED, 0x5ac35ac3
        mtdcr   DCR_UIC + UIC_CR, %r3
        mtdcr   DCR_UIC + UIC_TR, %r3
        mfdcr   %r4, DCR_UIC + UIC_CR
        mfdcr   %r5, DCR_UIC + UIC_TR
        li      %r3, 0
        mtdcr   DCR_UIC + UIC_CR, %r3
        mtdcr   DCR_UIC + UIC_TR, %r3
        END
        TEST    "mfdcr r0 r31", PRIVILEGED, 0x12345678
        mtdcr   DCR_UIC + UIC_CR, %r3
        mfdcr   %r0, DCR_UIC + UIC_CR
        mfdcr   %r31, DCR_UIC + UIC_CR
        li      %r3, 0
        mtdcr   DCR_UIC + UIC_CR, %r3
        END
        TEST    "mfdcr UIC SR MSR", PRIVILEGED
        mfdcr   %r4, DCR_UIC + UIC_SR
        mfdcr   %r5, DCR_UIC + UIC_MSR
        END
        REFUSED "mfdcr UIC", mfdcr %r4, DCR_UIC
        REFUSED "mtdcr UIC", mtdcr DCR_UIC, %r3
        REFUSED "mfdcr 3ff", mfdcr %r4, 0x3ff
        REFUSED "mtdcr 010", mtdcr 0x010, %r3
        /* --- translation ------------------------------------------------------------------------ */
        TEST    "tlbwe tlbre", EVERYWHERE, 0x40000000 | TLBHI_SIZE(3) | TLBHI_V, 0x00800000 | 0x300 | TLBLO_ZSEL(9) | 0xd, 40
        tlbwe   %r4, %r5, 1
        tlbwe   %r3, %r5, 0
        tlbre   %r8, %r5, 0
        tlbre   %r9, %r5, 1
        mfspr   %r10, SPR_PID
        END
        TEST    "tlbwe all bits", PRIVILEGED, 0xdeadf400 | TLBHI_SIZE(7) | TLBHI_V, 0xffffffff, 41
        tlbwe   %r4, %r5, 1
        tlbwe   %r3, %r5, 0
        tlbre   %r8, %r5, 0
        tlbre   %r9, %r5, 1
        END
        TEST    "tlbwe index wraps", PRIVILEGED, 0x41000000 | TLBHI_SIZE(1) | TLBHI_V, 0x00900000, 64 + 42
        tlbwe   %r4, %r5, 1
        tlbwe   %r3, %r5, 0
        li      %r5, 42
        tlbre   %r8, %r5, 0
        tlbre   %r9, %r5, 1
        END
        TEST    "tlbwe tlbre TID", PRIVILEGED, 0x42000000 | TLBHI_SIZE(2) | TLBHI_V, 5, 43
        mfspr   %r31, SPR_PID
        mtspr   SPR_PID, %r4
        tlbwe   %r3, %r5, 0
        mtspr   SPR_PID, %r31
        mfspr   %r8, SPR_PID
        tlbre   %r9, %r5, 0
        mfspr   %r10, SPR_PID
        mtspr   SPR_PID, %r31
        END
        REFUSED "tlbwe 0", tlbwe %r3, %r4, 0
        REFUSED "tlbwe 1", tlbwe %r3, %r4, 1
        REFUSED "tlbre 0", tlbre %r3, %r4, 0
        REFUSED "tlbre 1", tlbre %r3, %r4, 1
        TEST    "tlbsx hit", EVERYWHERE, 0x00010123
        tlbsx   %r4, 0, %r3
        END
        TEST    "tlbsx. hit", EVERYWHERE, 0x00010123
        tlbsx.  %r4, 0, %r3
        END
        TEST    "tlbsx. RA", PRIVILEGED, 0x00010123, 0x123
        subf    %r3, %r4, %r3
        tlbsx.  %r5, %r3, %r4
        END
        TEST    "tlbsx. miss", EVERYWHERE, 0x70000000
        tlbsx.  %r4, 0, %r3
        END
        TEST    "tlbsx miss", PRIVILEGED, 0x70000000
        tlbsx   %r4, 0, %r3
        END
        TEST    "tlbsync", EVERYWHERE
        tlbsync
        END
        REFUSED "tlbia", tlbia
        TEST    "tlbia", REAL_PRIVILEGED, 40, 0x00010000
        tlbia
        tlbre   %r5, %r3, 0
        tlbsx.  %r4, 0, %r4
        END
        /* --- caches ------------------------------------------------------------------------------ */
        TEST    "iccci", EVERYWHERE, 0x11000
        iccci   0, %r3
        END
        TEST    "dccci", EVERYWHERE, 0x11000
        dccci   0, %r3
        END
        TEST    "icread", EVERYWHERE, 0x11000
        icread  0, %r3
        END
        TEST    "dcread", PROBLEM, 0x11000
        dcread  %r4, 0, %r3
        END
        TEST    "dcbi", EVERYWHERE, SCRATCH
        dcbi    0, %r3
        END
        TEST    "dcbf dcbst dcbt icbi icbt", EVERYWHERE, SCRATCH
        dcbf    0, %r3
        dcbst   0, %r3
        dcbt    0, %r3
        dcbtst  0, %r3
        icbi    0, %r3
        icbt    0, %r3
        END
        TEST    "dcbz", EVERYWHERE, SCRATCH
        stw     %r3, 4(%r3)
        dcbz    0, %r3
        lwz     %r4, 4(%r3)
        END
        /* --- system call, trap, illegal ----------------------------------------------------------- */
        TEST    "sc", EVERYWHERE
        sc
        END
        TEST    "trap", EVERYWHERE
        trap
        END
        TEST    "twi not taken", EVERYWHERE, 1
        twi     16, %r3, 0
        twi     8, %r3, 0
        END
        TEST    "word 0", EVERYWHERE
        .long   0
        END
        TEST    "word ffffffff", EVERYWHERE
        .long   0xffffffff
        END
        TEST    "fadd", EVERYWHERE
        .long   0xfc22182a
        END
        TEST    "lfs", EVERYWHERE, SCRATCH
        .long   0xc0230000
        END
        TEST    "mfsr", EVERYWHERE
        .long   0x7c6004a6
        END
        TEST    "tlbie", EVERYWHERE
        .long   0x7c001a64
        END
        TEST    "mftb mftbu", EVERYWHERE
        mftb    %r4
        mftbu   %r5
        sub     %r4, %r4, %r4
        li      %r5, 0
        END
        TEST    "lmw unaligned", EVERYWHERE, SCRATCH + 1
        lmw     %r28, 0(%r3)
        END
        TEST    "lwz unaligned", EVERYWHERE, SCRATCH + 1
        lwz     %r4, 0(%r3)
        END
        TEST    "dcbz inhibited or not", EVERYWHERE, SCRATCH + 31
        dcbz    0, %r3
        END
        TEST    "stw r1 update and carry", EVERYWHERE, SCRATCH, 0xffffffff
        addic.  %r4, %r4, 1
        stwu    %r4, 4(%r3)
        addze   %r5, %r5
        mtctr   %r3
        mtlr    %r3
        cmpwi   7, %r5, 1
        END
tests_end:
