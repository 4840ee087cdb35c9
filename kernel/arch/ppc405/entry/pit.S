/* SPDX-License-Identifier: MIT */
/*
 * pit.S - the core's alarm.
 *
 * Nearly always it is the periodic timer of the guest that runs, and nothing else is due: reload it, set the alarm, and
 * go on at the guest's vector. alarm_passed() handles everything else.
 */
#include <arch/reflect.h>

VECTOR 1000
    b       alarm

FUNCTION alarm
    ENTER_LIGHT
    cmpwi   r1, 0 /* the idle context is in SRAM, at a negative address */
    mftb    r24
    blt-    alarm_other
    lis     r26, core+CORE_WINDOW_DUE@ha
    lwz     r23, core+CORE_WINDOW_DUE@l(r26)
    lis     r25, QUIRK_TSR_PIS@h
    mtspr   SPR_TSR, r25
    subf.   r23, r24, r23 /* what is left of the window */
    lwz     r27, VM_TCR(r1)
    ble-    alarm_other
    srwi    r27, r27, 16
    andi.   r27, r27, (TCR_WRC | TCR_WIE | TCR_PIE | TCR_FIE | TCR_ARE)@h
    cmpwi   r27, (TCR_PIE | TCR_ARE)@h
    lwz     r29, REG_MSR(r1)
    bne-    alarm_other
    andi.   r27, r29, MSR_EE
    lwz     r26, VM_PIT_START(r1)
    beq-    alarm_other
    lwz     r27, VM_PIT_LENGTH(r1)
    mfsrr0  r28
    add     r26, r26, r27
    subf.   r27, r26, r24 /* time since it expired */
    lwz     r25, VM_PIT_RELOAD(r1)
    blt-    alarm_other
    subf.   r22, r27, r25 /* time until it expires next */
    lwz     r24, VM_STUBS(r1)
    ble-    alarm_other
    clrlwi  r27, r28, 2
    subf    r27, r24, r27
    srwi.   r27, r27, PREVIRT_AREA_SHIFT
    lwz     r24, VM_TSR(r1)
    beq-    alarm_other /* in a stub of pre-virtualized code, which has to be left first */
    stw     r26, VM_PIT_START(r1)
    stw     r25, VM_PIT_LENGTH(r1)
    oris    r24, r24, TSR_PIS@h
    stw     r24, VM_TSR(r1)
    lwz     r24, VM_PENDING(r1)
    ori     r24, r24, VMP_PIT
    stw     r24, VM_PENDING(r1)
    stw     r24, REG_ATTENTION(r1)
    cmplw   r22, r23
    blt     1f
    mr      r22, r23
1:  addi    r22, r22, QUIRK_PIT_EXTRA
    mtspr   SPR_PIT, r22
    REFLECT addi, VEC_PIT
    LEAVE_LIGHT

FUNCTION alarm_other
    ENTER_REST
    mfctr   r31
    mfsrr0  r28
    SAVE_CONTEXT
    C_STACK
    bl      alarm_passed
    b       return_from_c
