/* SPDX-License-Identifier: MIT */
/*
 * miss.S - TLB misses. When the guest's own TLB has no entry either, which is nearly always, the miss is delivered to the
 * guest from here; an entry that has to be shown, real mode and everything else are mmu_fault()'s.
 */
#include <arch/reflect.h>
#include <wcet.h>

/* CR0[EQ]: the entry r26 - 1 is one of the current PID's. Clobbers r24, r25. */
    .macro MINE
    add     r24, r26, r1
    lbz     r24, VM_TLB_TID-1(r24)
    cmpwi   r24, 0
    beq-    770f
    lwz     r25, REG_PID(r1)
    clrlwi  r25, r25, 24
    cmpw    r24, r25
770:
    .endm

VECTOR 1100
    ENTER_LIGHT
    mfspr   r28, SPR_DEAR
    lwz     r29, REG_MSR(r1)
    addi    r27, r28, -PREVIRT_CALLS
    cmplwi  r27, 0x2000
    blt-    previrt_call /* or the register page */
    li      r31, VEC_DTLB
    b       miss

VECTOR 1200
    ENTER_LIGHT
    mfsrr0  r28
    lwz     r29, REG_MSR(r1)
    lwz     r26, VM_STUBS(r1)
    clrlwi  r27, r28, 2
    subf    r27, r26, r27
    srwi.   r27, r27, PREVIRT_AREA_SHIFT
    li      r31, VEC_ITLB
    beq-    miss_to_c /* in a stub of pre-virtualized code, which has to be left first */
    b       miss

/* r28 address, r29 the virtual MSR, r31 vector */
FUNCTION miss
    mfsrr1  r26
    andi.   r26, r26, MSR_PR
    rlwinm  r26, r29, 28, 30, 31
    beq-    miss_to_c /* the kernel's own fault */
    cmpwi   r26, 3
    addi    r23, r1, VM_TLB-8
    addi    r22, r1, VM_TLB_NEXT-1
    rlwinm  r26, r28, 20, 32-TLB_SETS_SHIFT, 31
    bne-    miss_to_c
    add     r26, r26, r1
    lbz     r26, VM_TLB_LIST(r26)
    b       3f
    /* an entry of 4 KiB: r26 its number + 1 */
1:  slwi    r24, r26, 3
    LOOP_BOUND 64
    lwzx    r24, r23, r24
    xor     r24, r24, r28
    clrrwi. r24, r24, 12
    beq-    4f
2:  lbzx    r26, r22, r26
3:  cmpwi   r26, 0
    bne     1b
    lbz     r26, VM_TLB_LIST+TLB_SETS(r1)
    b       7f
4:  MINE
    beq-    9f
    b       2b
    /* of another size */
5:  slwi    r24, r26, 3
    LOOP_BOUND 64
    lwzx    r24, r23, r24
    rlwinm  r25, r24, 26, 28, 30 /* 2 * size */
    addi    r25, r25, 10
    xor     r24, r24, r28
    srw.    r24, r24, r25
    beq-    8f
6:  lbzx    r26, r22, r26
7:  cmpwi   r26, 0
    bne     5b

    /* there is none */
    mfspr   r24, SPR_ESR
    cmpwi   r31, VEC_DTLB
    stw     r24, REG_ESR(r1)
    bne     10f
    stw     r28, REG_DEAR(r1)
    mfsrr0  r28
10: REFLECT add, r31
    LEAVE_LIGHT
8:  MINE
    beq-    miss_to_c
    b       6b

    /* a page of this PID alone, of the guest's own memory, that is not shown any more; what it does not allow the access finds */
9:  cmpwi   r24, 0
    slwi    r23, r26, 3
    add     r23, r23, r1
    lwz     r27, VM_TLB-8+4(r23)
    beq-    miss_to_c
    lwz     r22, VM_SIZE(r1)
    clrrwi  r21, r27, 12
    cmplw   r21, r22
    lwz     r22, VM_TLB-8(r23)
    bge-    miss_to_c
    ori     r22, r22, TLB_SHADOWED
    stw     r22, VM_TLB-8(r23)
    clrrwi  r20, r28, 12
    lwz     r26, VM_SPACE_PID+12(r1) /* not by the PID in the register page, which a guest may write */

/* In the hardware's TLB, as fill() would: r20 address, r21 guest-physical address in its own memory, r26 space, r27 low word of
 * the guest's entry; r29 the virtual MSR. Back to the guest. */
LABEL show_page
    lwz     r17, REG_ZPR(r1)
    rlwinm  r16, r27, 29, 27, 30 /* 2 * zone */
    lis     r18, 0xc000
    srw     r18, r18, r16
    addi    r16, r16, 2
    lwz     r19, VM_ZONES(r1)
    rlwnm   r17, r17, r16, 30, 31
    or      r19, r19, r18
    stw     r19, VM_ZONES(r1)
    lwz     r18, VM_BASE(r1)
    mtspr   SPR_PID, r26
    andi.   r27, r27, TLBLO_EX | TLBLO_WR | 15
    rlwimi  r27, r17, 4, 24, 27
    add     r21, r21, r18
    or      r27, r27, r21
    ori     r22, r20, TLBHI_SIZE(1) | TLBHI_V
    tlbsx.  r17, 0, r20
    beq     11f
    lis     r16, mmu_next_slot@ha
    lbz     r17, mmu_next_slot@l(r16)
    addi    r17, r17, 1
    stb     r17, mmu_next_slot@l(r16)
11: tlbwe   r27, r17, 1
    tlbwe   r22, r17, 0
    rlwinm  r25, r29, 30, 28, 29
    add     r25, r25, r1
    lwz     r25, VM_SPACE_PID(r25)
    mtspr   SPR_PID, r25
    LEAVE_LIGHT 16

/* After ENTER_LIGHT */
FUNCTION dtlb_to_c
    li      r31, VEC_DTLB
/* ... r31 vector */
LABEL miss_to_c
    mr      r3, r31
    ENTER_REST
    b       exit_checked
