/* SPDX-License-Identifier: MIT */
/* arch/reflect.h - assembly: the guest takes an exception that is not critical, without C. */
#ifndef AMALGAM_ARCH_REFLECT_H
#define AMALGAM_ARCH_REFLECT_H

#include <arch/entry.h>

/* In a fast path (ENTER, r29 the virtual MSR, r28 for SRR0, CTR as it was): go on at the guest's vector, untranslated.
 */
/* clang-format off */
    .macro REFLECT vector
    stw     r28, REG_SRR0(r1)
    stw     r29, REG_SRR1(r1)
    lis     r25, MSR_KEPT@h
    ori     r25, r25, MSR_KEPT@l
    and     r29, r29, r25
    stw     r29, REG_MSR(r1)
    lwz     r24, VM_MODE_ZPR(r1)
    lwz     r25, VM_SPACE_PID(r1)
    mtspr   SPR_ZPR, r24
    quirk_zpr r24
    mtspr   SPR_PID, r25
    lwz     r28, REG_EVPR(r1)
    clrrwi  r28, r28, 16
    ori     r28, r28, \vector
    mtsrr0  r28
    LEAVE   ctr=0
    .endm
/* clang-format on */

#endif
