/* SPDX-License-Identifier: MIT */
/*
 * previrt_call.S - calls of pre-virtualized code (docs/previrtualization.md): a store to the page below the register page,
 * which is never mapped, so it misses; the address says what is wanted, and no register is needed to say it.
 */
#include <arch/entry.h>

/* From miss.S: r27 offset in the page, or behind it in the register page; r29 the virtual MSR, r31 VEC_DTLB. */
FUNCTION previrt_call
    lwz     r26, VM_STUBS(r1)
    rlwimi  r26, r29, 0, 17, 17 /* MSR[PR] */
    andi.   r26, r26, MSR_PR | PREVIRT_NOT
    cmpwi   cr1, r27, CALL_RFI
    bne-    miss_to_c
    bne     cr1, 1f
    lwz     r26, REG_SRR1(r1)
    lwz     r28, REG_SRR0(r1)
    lis     r25, MSR_VALID@h
    ori     r25, r25, MSR_VALID@l
    and     r26, r26, r25
    stw     r26, REG_MSR(r1)
    mtsrr0  r28
    SET_SPACE r26
    lwz     r25, VM_PENDING(r1)
    rlwimi. r25, r26, 0, 13, 13 /* MSR[WE] */
    bne-    2f
    LEAVE_LIGHT
2:  ENTER_REST
    mfctr   r31
    b       msr_pending

1:  addi    r26, r27, -CALL_MTPID
    cmplwi  r26, 4 * 32
    bge     4f
    lwzx    r26, r1, r26 /* not r0, r1 */
    rlwinm  r27, r27, 19, 6, 10 /* the instruction that it stands for */
    oris    r27, r27, 0x7c11
    ori     r27, r27, 0xeba6
    ENTER_REST
    mfctr   r31
    mfsrr0  r28
    clrlwi  r26, r26, 24
    addi    r25, r1, REG_PID-VM_REGS
    b       write_pid

4:  addi    r26, r27, -CALL_TABLE
    cmplwi  r26, 0x1000 - CALL_TABLE
    bge-    miss_to_c
    ENTER_REST
    mfctr   r31
    mfsrr0  r28
    mr      r3, r1
    mr      r4, r26
    SAVE_CONTEXT
    C_STACK
    bl      previrt_table
    b       return_from_c
