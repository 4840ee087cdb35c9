/* SPDX-License-Identifier: MIT */
/*
 * vectors.S - exception vectors that go to C directly.
 *
 * kernel.lds puts each at its place. Vectors with a fast path have their own files: device.S (0x300), emulate.S
 * (0x700), syscall*.S (0xc00), pit.S (0x1000), miss*.S (0x1100, 0x1200).
 */
#include <arch/entry.h>

VECTOR 0400
    TO_C    VEC_ISI
VECTOR 0600
    TO_C    VEC_ALIGN
VECTOR 0500
    ENTER
    li      r3, VEC_EXTERNAL
    b       exit_interrupt

/*
 * Exceptions that never occur: critical interrupts stay masked in the hardware MSR, FIT and watchdog in TCR, debug
 * events in DBCR0. A machine check while a guest runs is an access of the guest that the bus refused. Otherwise the
 * hardware is broken.
 */
    .macro UNEXPECTED vector
    li      r3, \vector
    mfspr   r5, SPR_SRR2
    b       unexpected
    .endm

VECTOR 0100
    UNEXPECTED VEC_CRITICAL
VECTOR 0200
    UNEXPECTED VEC_MCHECK
VECTOR 1010
    UNEXPECTED VEC_FIT
VECTOR 1020
    UNEXPECTED VEC_WDT
VECTOR 2000
    UNEXPECTED VEC_DEBUG

FUNCTION unexpected
    mfspr   r4, SPR_SRR3
    b       fault
