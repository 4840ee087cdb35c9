/* SPDX-License-Identifier: MIT */
/*
 * full.S - every privileged instruction between two marks, as in an unmodified guest; on the bare board each costs 1.
 */
#include "marks.inc"
#include <guest.h>

/* read into r4, write the same value back */
    .macro SPR name, number
    MEASURE mf\name, mfspr r4, \number
    MEASURE mt\name, mtspr \number, r4
    .endm

    .text
    .globl measure_all
measure_all:
    mflr r0
    mfmsr r5
    MEASURE mfmsr, mfmsr r4
    MEASURE mtmsr, mtmsr r5
    MEASURE wrtee, wrtee r5
    MEASURE wrteei, wrteei 0
    wrteei 1
    MEASURE wrteei_off, wrteei 0
    lis r4, 1f@ha
    la r4, 1f@l(r4)
    mtsrr0 r4
    mtsrr1 r5
    BEGIN rfi
    rfi
1:  END rfi
    lis r4, 2f@ha
    la r4, 2f@l(r4)
    mtspr SPR_SRR2, r4
    mtspr SPR_SRR3, r5
    BEGIN rfci
    rfci
2:  END rfci

    SPR srr0, SPR_SRR0
    SPR srr1, SPR_SRR1
    SPR sprg0, SPR_SPRG0
    SPR sprg1, SPR_SPRG1
    SPR sprg2, SPR_SPRG2
    SPR sprg3, SPR_SPRG3
    SPR sprg4, SPR_SPRG4
    SPR sprg5, SPR_SPRG5
    SPR sprg6, SPR_SPRG6
    SPR sprg7, SPR_SPRG7
    SPR esr, SPR_ESR
    SPR dear, SPR_DEAR
    SPR evpr, SPR_EVPR
    SPR pid, SPR_PID
    SPR zpr, SPR_ZPR
    SPR ccr0, SPR_CCR0
    SPR dccr, SPR_DCCR
    SPR iccr, SPR_ICCR
    SPR dcwr, SPR_DCWR
    SPR sgr, SPR_SGR
    SPR sler, SPR_SLER
    SPR su0r, SPR_SU0R
    SPR iac1, SPR_IAC1
    SPR iac2, SPR_IAC2
    SPR dac1, SPR_DAC1
    SPR dac2, SPR_DAC2
    SPR dbcr0, SPR_DBCR0
    SPR dbcr1, SPR_DBCR1
    SPR tcr, SPR_TCR
    MEASURE mfpvr, mfspr r4, SPR_PVR
    MEASURE mfdbsr, mfspr r4, SPR_DBSR
    MEASURE mftsr, mfspr r4, SPR_TSR
    li r4, 0
    MEASURE mttsr, mtspr SPR_TSR, r4
    MEASURE mfpit, mfspr r4, SPR_PIT
    lis r4, 0x7fff
    MEASURE mtpit, mtspr SPR_PIT, r4
    MEASURE mfdcr, mfdcr r4, DCR_UIC + UIC_ER
    MEASURE mtdcr, mtdcr DCR_UIC + UIC_ER, r4

    li r6, 63
    MEASURE tlbre, tlbre r4, r6, 0
    MEASURE tlbre_lo, tlbre r7, r6, 1
    MEASURE tlbwe_lo, tlbwe r7, r6, 1
    MEASURE tlbwe, tlbwe r4, r6, 0
    lis r8, 0x7000
    MEASURE tlbsx, tlbsx r4, 0, r8
    MEASURE tlbsync, tlbsync
    MEASURE tlbia, tlbia
    MEASURE iccci, iccci 0, r8
    MEASURE dccci, dccci 0, r8
    li r8, 0
    MEASURE icread, icread 0, r8
    MEASURE dcread, dcread r4, 0, r8
    mtmsr r5
    mtlr r0
    blr
