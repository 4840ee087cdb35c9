/* SPDX-License-Identifier: MIT */
/*
 * para.S - the same instructions as hypercalls and, for the registers of the register page, as loads and stores (IRFM); then
 * the services and a system call. Loading the call's number is measured, too; loading its other arguments is not.
 */
#include "marks.inc"
#include <amalgam_calls.h>
#include <guest.h>

    .macro CALL name, number
    BEGIN para_\name
    li r11, \number
    sc
    END para_\name
    .endm

/* r3 = the register's number for both; the value that was read is written back */
    .macro SPR name, number
    li r3, \number
    CALL mf\name, AMALGAM_MFSPR
    mr r4, r3
    li r3, \number
    CALL mt\name, AMALGAM_MTSPR
    .endm

    .text
    .globl measure_calls
measure_calls:
    mflr r0
    stw r0, 4(r1)
    stwu r1, -16(r1)
    mfmsr r14
    CALL mfmsr, AMALGAM_MFMSR
    mr r3, r14
    CALL mtmsr, AMALGAM_MTMSR
    mr r3, r14
    CALL wrtee, AMALGAM_WRTEE
    li r3, 0
    CALL wrteei, AMALGAM_WRTEE
    lis r4, 1f@ha
    la r4, 1f@l(r4)
    mtsrr0 r4
    mtsrr1 r14
    BEGIN para_rfi
    li r11, AMALGAM_RFI
    sc
1:  END para_rfi
    lis r4, 2f@ha
    la r4, 2f@l(r4)
    mtspr SPR_SRR2, r4
    mtspr SPR_SRR3, r14
    BEGIN para_rfci
    li r11, AMALGAM_RFCI
    sc
2:  END para_rfci
    CALL mfevpr, AMALGAM_MFEVPR
    CALL mtevpr, AMALGAM_MTEVPR
    CALL mfzpr, AMALGAM_MFZPR
    CALL mtzpr, AMALGAM_MTZPR
    CALL mfpid, AMALGAM_MFPID
    CALL mtpid, AMALGAM_MTPID
    SPR srr0, SPR_SRR0
    SPR srr1, SPR_SRR1
    SPR sprg0, SPR_SPRG0
    SPR sprg4, SPR_SPRG4
    SPR esr, SPR_ESR
    SPR dear, SPR_DEAR
    SPR ccr0, SPR_CCR0
    SPR dccr, SPR_DCCR
    SPR iac1, SPR_IAC1
    SPR dbcr0, SPR_DBCR0
    SPR tcr, SPR_TCR
    li r3, SPR_PVR
    CALL mfpvr, AMALGAM_MFSPR
    li r3, SPR_TSR
    CALL mftsr, AMALGAM_MFSPR
    li r3, SPR_TSR
    li r4, 0
    CALL mttsr, AMALGAM_MTSPR
    li r3, SPR_PIT
    CALL mfpit, AMALGAM_MFSPR
    li r3, SPR_PIT
    lis r4, 0x7fff
    CALL mtpit, AMALGAM_MTSPR
    li r3, DCR_UIC + UIC_ER
    CALL mfdcr, AMALGAM_MFDCR
    mr r4, r3
    li r3, DCR_UIC + UIC_ER
    CALL mtdcr, AMALGAM_MTDCR
    li r3, 63
    CALL tlbre, AMALGAM_TLBREHI
    mr r15, r3
    li r3, 63
    CALL tlbre_lo, AMALGAM_TLBRELO
    li r4, 63
    CALL tlbwe_lo, AMALGAM_TLBWELO
    mr r3, r15
    li r4, 63
    CALL tlbwe, AMALGAM_TLBWEHI
    lis r3, 0x7000
    CALL tlbsx, AMALGAM_TLBSX
    CALL tlbsync, AMALGAM_TLBSYNC
    CALL tlbia, AMALGAM_TLBIA
    CALL iccci, AMALGAM_ICCCI
    CALL dccci, AMALGAM_DCCCI
    li r3, 0
    CALL icread, AMALGAM_ICREAD
    li r3, 0
    CALL dcread, AMALGAM_DCREAD
    CALL null, AMALGAM_NULL
    li r3, 0 /* the priority */
    li r4, 7
    CALL sched_set_param, AMALGAM_SCHED_SET_PARAM
    li r3, 0
    CALL create_comm_tunnel, AMALGAM_CREATE_COMM_TUNNEL
    CALL vm_yield, AMALGAM_YIELD
    addi r1, r1, 16
    lwz r0, 4(r1)
    mtlr r0
    blr

/* The register page by loads and stores, none of which enters the kernel. */
    .globl measure_page
measure_page:
    MEASURE irfm_mfsrr0, lwz r4, 0xfffff000@l(0)
    MEASURE irfm_mtsrr0, stw r4, 0xfffff000@l(0)
    MEASURE irfm_mfsprg0, lwz r4, 0xfffff010@l(0)
    MEASURE irfm_mtsprg0, stw r4, 0xfffff010@l(0)
    MEASURE irfm_mfesr, lwz r4, 0xfffff030@l(0)
    MEASURE irfm_mtesr, stw r4, 0xfffff030@l(0)
    MEASURE irfm_mfdear, lwz r4, 0xfffff034@l(0)
    MEASURE irfm_mtdear, stw r4, 0xfffff034@l(0)
    MEASURE irfm_mfevpr, lwz r4, 0xfffff038@l(0)
    MEASURE irfm_mfpid, lwz r4, 0xfffff03c@l(0)
    MEASURE irfm_mfzpr, lwz r4, 0xfffff040@l(0)
    MEASURE irfm_mfmsr, lwz r4, 0xfffff044@l(0)
    blr

/* A process's system call, and a loop that a timer interrupts; the kernel's instructions there are the added latency. */
    .globl measure_syscall, measure_spin
measure_syscall:
    sc
measure_spin:
    b measure_spin
