/* SPDX-License-Identifier: MIT */
/* arch/reflect.h - for assembly files: the guest takes an exception that is not critical, without C. */
#ifndef AMALGAM_ARCH_REFLECT_H
#define AMALGAM_ARCH_REFLECT_H

#include <arch/entry.h>

/*
 * In a fast path: let the guest go on at its vector, untranslated. `op` adds the vector, a number or a register; r29
 * holds the virtual MSR and r28 the value for SRR0. ZPR stays, because all untranslated pages are in a zone that both
 * values of ZPR treat alike (mmu.c). Clobbers r25.
 */
/* clang-format off */
    .macro REFLECT op, vector
    stw     r28, REG_SRR0(r1)
    stw     r29, REG_SRR1(r1)
    lis     r25, MSR_KEPT@h
    ori     r25, r25, MSR_KEPT@l
    and     r29, r29, r25
    stw     r29, REG_MSR(r1)
    lwz     r25, VM_SPACE_PID(r1)
    lwz     r28, REG_EVPR(r1)
    mtspr   SPR_PID, r25
    \op    r28, r28, \vector /* guests can write this page: a wrong value harms only the guest */
    mtsrr0  r28
    .endm
/* clang-format on */

#endif
