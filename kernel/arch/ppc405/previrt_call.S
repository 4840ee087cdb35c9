/* SPDX-License-Identifier: MIT */
/*
 * previrt_call.S - calls of pre-virtualized code (docs/previrtualization.md): a store to the page below the register page,
 * which is never mapped, so it misses; the address says what is wanted, and no register is needed to say it.
 */
#include <arch/entry.h>
#include <wcet.h>

/* From miss.S: r27 offset in the page, or behind it in the register page; r29 the virtual MSR. */
FUNCTION previrt_call
    lwz     r26, VM_STUBS(r1)
    rlwimi  r26, r29, 0, 17, 17 /* MSR[PR] */
    andi.   r26, r26, MSR_PR | PREVIRT_NOT
    cmpwi   cr1, r27, CALL_RFI
    bne-    dtlb_to_c
    bne     cr1, 1f
    lwz     r26, REG_SRR1(r1)
    lwz     r28, REG_SRR0(r1)
    stw     r26, REG_MSR(r1) /* as it is: the page is the guest's to write */
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
    bge     call_by_table
    lwzx    r26, r1, r26 /* not r0, r1 */
    lwz     r24, VM_PID_SLOW(r1)
    clrlwi  r26, r26, 24
    mfsrr0  r28
    cmplwi  r26, 250 /* those above share a space */
    cmpwi   cr1, r24, 0
    addi    r25, r26, 4
    bgt-    3f
    addi    r24, r28, 4
    rlwinm  r29, r29, 28, 30, 31
    bne-    cr1, 3f
    stw     r26, REG_PID(r1)
    cmpwi   r29, 3
    stw     r25, VM_SPACE_PID+12(r1)
    mtsrr0  r24
    bne     4f
    mtspr   SPR_PID, r25
4:  LEAVE_LIGHT
3:  rlwinm  r27, r27, 19, 6, 10 /* the instruction that it stands for */
    oris    r27, r27, 0x7c11
    ori     r27, r27, 0xeba6
    ENTER_REST
    mfctr   r31
    b       emulate_slow

/* An instruction in the table, or two. */
FUNCTION call_by_table
    addi    r25, r27, -CALL_TLBWE
    cmplwi  r25, CALL_TABLE - CALL_TLBWE
    blt     call_tlbwe
    addi    r25, r27, -CALL_TABLE
    cmplwi  r25, 0x1000 - CALL_TABLE
    bge-    dtlb_to_c
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

/*
 * The low and the high word of an entry, r25 place in the table: what guest_tlbwe() does twice, for a 4 KiB page of one PID that
 * is the guest's own memory and takes the place of another such page or of nothing. Everything else is done there.
 * Whatever the two words are, they are taken for tlbwe; only their registers count.
 */
FUNCTION call_tlbwe
    lwz     r26, VM_STUBS(r1)
    lwz     r24, VM_BASE(r1)
    add     r26, r26, r25
    lwzux   r27, r26, r24
    lwz     r22, 4(r26)
    rlwinm  r24, r27, 18, 25, 29
    rlwinm  r27, r27, 13, 25, 29
    rlwinm  r22, r22, 13, 25, 29
    lwzx    r24, r1, r24 /* index */
    lwzx    r27, r1, r27 /* low word */
    lwzx    r22, r1, r22 /* high word */
    clrlwi  r24, r24, 26
    andi.   r26, r22, TLBHI_SIZE(7) | TLBHI_V | TLBHI_E
    cmpwi   r26, TLBHI_SIZE(1) | TLBHI_V
    bne-    call_table
    lwz     r26, REG_PID(r1)
    lwz     r23, VM_SIZE(r1)
    clrlwi. r26, r26, 24
    beq-    call_table
    cmplwi  r26, 250
    clrrwi  r21, r27, 12 /* guest-physical */
    bgt-    call_table
    cmplw   r21, r23
    lwz     r23, VM_PID_SLOW(r1)
    bge-    call_table
    cmpwi   r23, 0
    slwi    r23, r24, 3
    bne-    call_table
    add     r23, r23, r1
    lwz     r20, VM_TLB(r23)
    add     r19, r24, r1
    andi.   r18, r20, TLBHI_V
    addi    r24, r24, 1
    beq     3f
    /* the former entry: out of its list, and its shadow dropped */
    lbz     r18, VM_TLB_TID(r19)
    cmpwi   r18, 0
    andi.   r17, r20, TLBHI_SIZE(7)
    cmpwi   cr1, r17, TLBHI_SIZE(1)
    beq-    call_table
    bne-    cr1, call_table
    rlwinm  r17, r20, 20, 32-TLB_SETS_SHIFT, 31
    add     r17, r17, r1
    addi    r17, r17, VM_TLB_LIST
1:  lbz     r16, 0(r17)
    LOOP_BOUND 64
    cmpw    r16, r24
    beq     2f
    add     r17, r16, r1
    addi    r17, r17, VM_TLB_NEXT-1
    b       1b
2:  lbz     r16, VM_TLB_NEXT(r19)
    stb     r16, 0(r17)
    addi    r18, r18, 4
    mtspr   SPR_PID, r18
    clrrwi  r20, r20, 12
    li      r16, 0
    tlbsx.  r17, 0, r20
    bne     3f
    tlbwe   r16, r17, 0
    /* the new one */
3:  clrrwi  r20, r22, 12
    stw     r27, VM_TLB+4(r23)
    clrrwi  r22, r22, 4
    ori     r22, r22, TLB_SHADOWED
    stw     r22, VM_TLB(r23)
    stb     r26, VM_TLB_TID(r19)
    rlwinm  r17, r20, 20, 32-TLB_SETS_SHIFT, 31
    add     r17, r17, r1
    lbz     r16, VM_TLB_LIST(r17)
    stb     r24, VM_TLB_LIST(r17)
    stb     r16, VM_TLB_NEXT(r19)
    mfsrr0  r28
    addi    r28, r28, 8
    mtsrr0  r28
    addi    r26, r26, 4
    b       show_page
