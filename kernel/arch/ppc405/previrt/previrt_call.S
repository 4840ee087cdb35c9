/* SPDX-License-Identifier: MIT */
/*
 * previrt_call.S - calls of pre-virtualized code (docs/previrtualization.md), and misses in the register page.
 *
 * A call is a store to the page below the register page. That page is never mapped, so the store misses. The address
 * tells which call it is, so no register is needed for that.
 */
#include <arch/entry.h>
#include <wcet.h>

/* From miss.S. r28: the address, at or above the lower of the two pages that the guest has; r29: the virtual MSR. */
FUNCTION previrt_call
    clrlwi  r27, r28, 19
    rlwimi. r27, r29, 31, 18, 18 /* MSR[PR] goes above the number: no call is so large */
    bne     1f
    lwz     r26, REG_SRR1(r1) /* CALL_RFI */
    lwz     r28, REG_SRR0(r1)
    stw     r26, REG_MSR(r1) /* unchecked: the guest may write this page */
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
    bge     call_sequence
    lwzx    r26, r1, r26 /* neither r0 nor r1 */
    lwz     r24, VM_PID_SLOW(r1)
    clrlwi  r26, r26, 24
    mfsrr0  r28
    cmplwi  r26, 250 /* larger PIDs share a space */
    cmpwi   cr1, r24, 0
    addi    r25, r26, 4
    bgt-    3f
    addi    r24, r28, 4
    mfspr   r29, SPR_PID
    bne-    cr1, 3f
    stw     r26, REG_PID(r1)
    cmplwi  r29, SPACE_PID
    stw     r25, VM_SPACE_PID+12(r1)
    mtsrr0  r24
    blt     4f
    mtspr   SPR_PID, r25
4:  LEAVE_LIGHT
3:  rlwinm  r27, r27, 19, 6, 10 /* the instruction that the call stands for */
    oris    r27, r27, 0x7c11
    ori     r27, r27, 0xeba6
    ENTER_REST
    mfctr   r31
    b       emulate_slow

/* Calls that run instructions of the table. */
FUNCTION call_sequence
    cmplwi  r26, CALL_TLBSX - CALL_MTPID
    lwz     r24, VM_TABLE(r1)
    add     r25, r24, r27
    blt     call_tlbwe
    cmplwi  r26, CALL_TLBIA - CALL_MTPID
    blt     call_tlbsx
    cmplwi  r26, CALL_TLBIA + 0x100 - CALL_MTPID
    blt     call_tlbia
    addi    r25, r27, -CALL_TABLE
    cmplwi  r25, 0x1000 - CALL_TABLE
    blt     call_table
    rlwinm  r26, r27, 20, 30, 31
    cmpwi   r26, 1
    bne-    dtlb_to_c
    /* The register page belongs to the guest's privileged mode, except in real mode (mmu.c). */
    mfspr   r25, SPR_PID
    addi    r27, r1, VM_REGS
    cmplwi  r25, SPACE_REAL
    ori     r27, r27, TLBLO_WR
    bne     5f
    ori     r27, r27, TLBLO_ZSEL(1)
5:  li      r22, PREVIRT_CALLS + 0x1000
    ori     r22, r22, TLBHI_SIZE(1) | TLBHI_V
    b       show_next

/* Go on in C. r27: the number of the call. */
FUNCTION call_in_c
    clrlwi  r25, r27, 24
LABEL call_table
    ENTER_REST
    mfctr   r31
    mfsrr0  r28
    mr      r3, r1
    mr      r4, r25
    SAVE_CONTEXT
    C_STACK
    bl      previrt_table
    b       return_from_c

/* The words at r25 + \base are three instructions. Loads the value of the register that the field at \rotate of
 * instruction \place names. */
    .macro OPERAND to, place, base, rotate
    lwz     \to, 4*\place-\base(r25)
    rlwinm  \to, \to, \rotate, 25, 29
    lwzx    \to, r1, \to
    .endm
#define FIELD_T 13 /* rotations that turn a field of an instruction into an offset among registers */
#define FIELD_A 18
#define FIELD_B 23

/*
 * tlbwe of the low and the high word of an entry, and mtspr PID, as guest_tlbwe() would do twice.
 *
 * This serves a 4 KiB page of the guest's own memory that replaces another 4 KiB page or an invalid entry. C does
 * everything else. A page of all PIDs is put into the space of the new PID. The instructions' opcodes are not checked;
 * only their register fields are used.
 */
FUNCTION call_tlbwe
    lwz     r24, -CALL_TLBWE(r25)
    OPERAND r22, 1, CALL_TLBWE, FIELD_T /* high word */
    OPERAND r31, 2, CALL_TLBWE, FIELD_T /* PID */
    rlwinm  r21, r24, FIELD_T, 25, 29
    rlwinm  r24, r24, FIELD_A, 25, 29
    lwzx    r24, r1, r24 /* index */
    andi.   r26, r22, TLBHI_SIZE(7) | TLBHI_V | TLBHI_E
    lwzx    r21, r1, r21 /* low word */
    mfspr   r25, SPR_PID
    cmpwi   r26, TLBHI_SIZE(1) | TLBHI_V
    lwz     r26, REG_PID(r1)
    lwz     r23, VM_SIZE(r1)
    bne-    call_in_c
    lwz     r20, VM_PID_SLOW(r1)
    clrlwi  r26, r26, 24
    clrlwi  r31, r31, 24
    cmplwi  r26, 250
    cmplwi  cr1, r31, 250
    cmpwi   cr5, r20, 0
    bgt-    call_in_c
    bgt-    cr1, call_in_c
    bne-    cr5, call_in_c
    clrrwi  r20, r21, 12 /* guest-physical */
    cmplw   r20, r23
    clrlwi  r24, r24, 26
    slwi    r23, r24, 2
    bge-    call_in_c
    add     r23, r23, r1
    lwz     r18, VM_TLB_HI(r23)
    add     r19, r24, r1
    andi.   r17, r18, TLBHI_V
    addi    r24, r24, 1
    beq     3f
    /* take the old entry out of its list and drop its shadow */
    lbz     r17, VM_TLB_SPACE(r19)
    andi.   r16, r18, TLBHI_SIZE(7) | TLB_ALL_PIDS
    cmpwi   r16, TLBHI_SIZE(1)
    bne     6f
    /* a 4 KiB page */
0:  rlwinm  r16, r18, 20, 32-TLB_SETS_SHIFT, 31
    add     r16, r16, r1
    mtspr   SPR_PID, r17
    lbzu    r17, VM_TLB_LIST(r16)
    b       2f
1:  add     r16, r17, r1
    LOOP_BOUND 64
    lbzu    r17, VM_TLB_NEXT-1(r16)
2:  cmpw    r17, r24
    bne-    1b
    lbz     r17, VM_TLB_NEXT(r19)
    stb     r17, 0(r16)
    tlbsx.  r17, 0, r18
    li      r16, 0
    bne     3f
    tlbwe   r16, r17, 0
    /* insert the new entry */
3:  mr      r27, r21
    stw     r21, VM_TLB_LO(r23)
    mr      r21, r20
    clrrwi  r20, r22, 12
    clrrwi  r22, r22, 4
    ori     r22, r22, TLB_SHADOWED
    stw     r22, VM_TLB_HI(r23)
    stb     r26, VM_TLB_TID(r19)
    rlwinm  r17, r20, 20, 32-TLB_SETS_SHIFT, 31
    add     r17, r17, r1
    lbz     r16, VM_TLB_LIST(r17)
    stb     r24, VM_TLB_LIST(r17)
    stb     r16, VM_TLB_NEXT(r19)
    mfsrr0  r28
    stw     r31, REG_PID(r1)
    cmplwi  r25, SPACE_PID
    addi    r31, r31, 4
    addi    r28, r28, 12
    stw     r31, VM_SPACE_PID+12(r1)
    mtsrr0  r28
    blt     4f
    mr      r25, r31
4:  cmpwi   r26, 0
    addi    r26, r26, 4
    bne+    5f
    ori     r22, r22, TLB_ALL_PIDS
    cmpwi   r31, SPACE_PID
    mr      r26, r31
    stw     r22, VM_TLB_HI(r23)
    beq     show_page
5:  stb     r26, VM_TLB_SPACE(r19)
    b       show_page

    /* the old entry is not a 4 KiB page of one PID */
6:  cmpwi   r16, TLBHI_SIZE(1) | TLB_ALL_PIDS
    li      r16, SPACE_PID
    bne-    call_in_c
    mtspr   SPR_PID, r16
    tlbsx.  r16, 0, r18
    li      r27, 0
    bne     0b
    tlbwe   r27, r16, 0
    b       0b

/* mtspr PID, tlbsx. without RA, and mtspr PID back: the result of guest_tlbsx(). */
FUNCTION call_tlbsx
    OPERAND r26, 0, CALL_TLBSX, FIELD_T /* PID in which to search */
    OPERAND r23, 1, CALL_TLBSX, FIELD_B /* address */
    OPERAND r24, 2, CALL_TLBSX, FIELD_T /* PID */
    lwz     r22, 4-CALL_TLBSX(r25)
    lwz     r25, REG_PID(r1)
    rlwinm  r22, r22, FIELD_T, 25, 29
    xor     r25, r25, r24
    clrlwi. r25, r25, 24
    clrlwi  r26, r26, 24
    rlwinm  r24, r23, 20, 32-TLB_SETS_SHIFT, 31
    bne-    call_in_c
    add     r24, r24, r1
    lbz     r24, VM_TLB_LIST(r24)
    mfxer   r25
    rlwinm  r30, r30, 0, 4, 31
    rlwimi  r30, r25, 29, 3, 3 /* CR0[SO] */
    cmpwi   r24, 0
    beq     4f
1:  slwi    r25, r24, 2
    LOOP_BOUND 64
    add     r25, r25, r1
    lwz     r25, VM_TLB_HI-4(r25)
    add     r31, r24, r1
    xor     r25, r25, r23
    clrrwi. r25, r25, 12
    lbz     r25, VM_TLB_TID-1(r31)
    bne     3f
2:  cmpwi   r25, 0 /* this entry covers the address */
    beq-    7f
    cmpw    r25, r26
    beq     7f
3:  lbz     r24, VM_TLB_NEXT-1(r31)
    cmpwi   r24, 0
    bne     1b
4:  lbz     r24, VM_TLB_LIST+TLB_SETS(r1)
    cmpwi   r24, 0
    beq-    8f
5:  slwi    r25, r24, 2
    LOOP_BOUND 64
    add     r25, r25, r1
    lwz     r25, VM_TLB_HI-4(r25)
    rlwinm  r28, r25, 26, 28, 30 /* 2 * size */
    xor     r25, r25, r23
    addi    r28, r28, 10
    add     r31, r24, r1
    srw.    r25, r25, r28
    lbz     r25, VM_TLB_TID-1(r31)
    bne     6f
    cmpwi   r25, 0
    beq-    7f
    cmpw    r25, r26
    beq-    7f
6:  lbz     r24, VM_TLB_NEXT-1(r31)
    cmpwi   r24, 0
    bne     5b
    b       8f
7:  addi    r24, r24, -1
    oris    r30, r30, 0x2000 /* CR0[EQ] */
    stwx    r24, r1, r22
8:  mfsrr0  r28
    addi    r28, r28, 12
    mtsrr0  r28
    LEAVE_LIGHT 2

/* The same as guest_tlbia(). */
FUNCTION call_tlbia
    mfsrr0  r28
    addi    r28, r28, 4
    mtsrr0  r28
LABEL clear_tlb
    stw     r30, VM_CR(r1)
    .irp    n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    li      r\n, 0
    .endr
    .irp    n, 0, 64, 128, 192
    stmw    r16, VM_TLB_HI+\n(r1)
    .endr
    .irp    n, 0, 64
    stmw    r16, VM_TLB_LIST+\n(r1)
    .endr
    stb     r31, VM_TLB_LIST+TLB_SETS(r1)
    stw     r31, VM_ZONES(r1)
    lis     r30, mmu_shown@ha
    stw     r31, mmu_shown@l(r30)
    lwz     r30, VM_CR(r1)
    tlbia
    LEAVE_LIGHT 16
