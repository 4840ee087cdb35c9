/* SPDX-License-Identifier: MIT */
/*
 * miss.S - TLB misses.
 *
 * Nearly always the guest's own TLB has no entry either. Then the miss is delivered to the guest here. Two kinds of
 * pages are put into the TLB here: pages of 4 KiB, and pages of 16 MiB that lie completely in the guest's own memory;
 * and its memory in real mode. mmu_fault() handles all other misses.
 */
#include <arch/reflect.h>
#include <wcet.h>

/* How many of the guest's entries are tested; C handles longer lists. A bit that is shifted out counts them, because
 * XER is the guest's: no instruction here may change the carry. */
#define LOOKS 16

/* Sets CR0[EQ] if the entry r26 - 1 belongs to the current PID, or (r24 = 0) to all PIDs. Clobbers r24, r25. */
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
/* Sets CR0: is there an entry after r26 - 1 in its list? */
    .macro FOLLOWING
    add     r26, r26, r1
    lbz     r26, VM_TLB_NEXT-1(r26)
    cmpwi   r26, 0
    .endm

VECTOR 1100
    ENTER_LIGHT
    mfsrr1  r26
    mfspr   r28, SPR_DEAR
    lwz     r27, VM_CALLS(r1)
    andi.   r26, r26, MSR_PR
    lwz     r29, REG_MSR(r1)
    cmplw   cr1, r28, r27
    li      r31, VEC_DTLB
    beq-    miss_to_c /* the kernel's own fault; it never fetches through the TLB, so vector 1200 needs no such test */
    bgt-    cr1, previrt_call /* or the register page */
/* r28 address, r29 the virtual MSR, r31 vector */
miss:
    mfspr   r27, SPR_PID /* the space that missed; the guest may write the MSR in its register page at any time */
    rlwinm  r26, r28, 20, 32-TLB_SETS_SHIFT, 31
    cmplwi  r27, SPACE_PID
    add     r26, r26, r1
    lbz     r26, VM_TLB_LIST(r26)
    blt-    real_miss
    cmpwi   r26, 0
    lis     r23, 1 << (16 - LOOKS)
    beq     3f
    /* an entry of 4 KiB; r26 is its number + 1 */
1:  slwi    r24, r26, 2
    LOOP_BOUND LOOKS
    slwi.   r23, r23, 1
    add     r24, r24, r1
    lwz     r24, VM_TLB_HI-4(r24)
    beq-    miss_to_c
    xor     r24, r24, r28
    clrrwi. r24, r24, 12
    beq-    show_small
2:  FOLLOWING
    bne     1b
3:  lbz     r26, VM_TLB_LIST+TLB_SETS(r1)
    cmpwi   r26, 0
    beq-    miss_deliver
    /* of another size */
4:  slwi    r24, r26, 2
    LOOP_BOUND LOOKS
    slwi.   r23, r23, 1
    add     r24, r24, r1
    lwz     r24, VM_TLB_HI-4(r24)
    beq-    miss_to_c
    rlwinm  r25, r24, 26, 28, 30 /* 2 * size */
    xor     r24, r24, r28
    addi    r25, r25, 10
    srw.    r24, r24, r25
    beq     show_large
5:  FOLLOWING
    bne     4b
    b       miss_deliver

VECTOR 1200
    ENTER_LIGHT
    mfsrr0  r28
    lwz     r29, REG_MSR(r1)
    li      r31, VEC_ITLB
    b       miss

/* The guest's TLB has no entry. */
FUNCTION miss_deliver
    mfspr   r24, SPR_ESR
    cmpwi   r31, VEC_DTLB
    bne     6f
    stw     r28, REG_DEAR(r1)
    mfsrr0  r28
1:  stw     r24, REG_ESR(r1)
    REFLECT add, r31
    LEAVE_LIGHT
    /* An instruction's miss: is it in a stub of pre-virtualized code? Privileged mode may execute its page, whatever
     * the guest's TLB says. */
6:  clrlwi  r27, r28, 2
    lwz     r26, VM_STUBS(r1)
    andi.   r23, r29, MSR_PR
    subf    r26, r26, r27
    bne     1b
    srwi.   r26, r26, PREVIRT_AREA_SHIFT
    lwz     r25, VM_BASE(r1)
    bne+    1b
    add     r27, r27, r25
    lis     r16, mmu_shown@ha
    clrrwi  r27, r27, 12
    lwz     r17, mmu_shown@l(r16)
    clrrwi  r22, r28, 12
    or      r17, r17, r22
    mfspr   r25, SPR_PID
    stw     r17, mmu_shown@l(r16)
    ori     r27, r27, TLBLO_EX
    ori     r22, r22, TLBHI_SIZE(1) | TLBHI_V
    b       show_next

/* A page of the guest's own memory that is no longer in the TLB. If it does not permit the access, the next exception
 * will tell. */
FUNCTION show_small
    MINE
    bne     2b
    slwi    r23, r26, 2
    add     r23, r23, r1
    lwz     r27, VM_TLB_LO-4(r23)
    add     r24, r26, r1
    lwz     r22, VM_SIZE(r1)
    clrrwi  r21, r27, 12
    cmplw   r21, r22
    lwz     r22, VM_TLB_HI-4(r23)
    bge-    miss_to_c
    ori     r22, r22, TLB_SHADOWED
    stw     r22, VM_TLB_HI-4(r23)
    clrrwi  r20, r28, 12
    lbz     r25, VM_TLB_SPACE-1(r24)
    mfspr   r26, SPR_PID
    cmpw    r25, r26
    beq+    7f
    cmpwi   r26, SPACE_PID /* a page of all PIDs: PID 0 has a shadow of its own, the others have one */
    beq     7f
    stb     r26, VM_TLB_SPACE-1(r24)
    mtspr   SPR_PID, r25
    tlbsx.  r17, 0, r20
    li      r16, 0
    bne     7f
    tlbwe   r16, r17, 0
7:  mr      r25, r26

/* Put a page of 4 KiB into the hardware's TLB as fill() would, and return to the guest. r20: address; r21:
 * guest-physical address in its own memory; r26: space; r27: low word of the guest's entry; r25: the guest's own
 * space. */
LABEL show_page
    lis     r16, mmu_shown@ha
    lwz     r17, mmu_shown@l(r16)
    ori     r22, r20, TLBHI_SIZE(1) | TLBHI_V
    or      r17, r17, r20
    stw     r17, mmu_shown@l(r16)
/* The same for any size. r22: high word. */
LABEL show
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
    tlbsx.  r17, 0, r20
    beq     show_here
LABEL show_next
    lis     r16, mmu_next_slot@ha
    lbz     r17, mmu_next_slot@l(r16)
    addi    r23, r17, 1
    stb     r23, mmu_next_slot@l(r16)
LABEL show_here
    tlbwe   r27, r17, 1
    tlbwe   r22, r17, 0
    mtspr   SPR_PID, r25
    LEAVE_LIGHT 16

/* A page of 16 MiB that lies completely in the guest's own memory, if no part of it is shown by a smaller page. */
FUNCTION show_large
    MINE
    bne     5b
    slwi    r23, r26, 2
    add     r23, r23, r1
    lwz     r24, VM_TLB_HI-4(r23)
    lwz     r27, VM_TLB_LO-4(r23)
    clrrwi  r20, r28, 24
    rlwinm  r25, r24, 25, 29, 31
    cmpwi   cr1, r25, 7
    clrrwi  r21, r27, 24
    lwz     r22, VM_WHOLE(r1)
    lis     r16, mmu_shown@ha
    lwz     r17, mmu_shown@l(r16)
    cmplw   cr5, r21, r22
    andc.   r17, r20, r17
    xoris   r22, r20, 0xff00 /* 0: the register page is in it */
    bne-    cr1, miss_to_c
    bge-    cr5, miss_to_c
    beq-    miss_to_c
    cmpwi   r22, 0
    ori     r24, r24, TLB_SHADOWED
    beq-    miss_to_c
    stw     r24, VM_TLB_HI-4(r23)
    mfspr   r26, SPR_PID
    ori     r22, r20, TLBHI_SIZE(7) | TLBHI_V
    mr      r25, r26
    b       show

/* r27: a space in which data, instructions or both are untranslated. */
FUNCTION real_miss
    cmplwi  r27, SPACE_REAL
    lwz     r24, VM_WHOLE(r1)
    bne-    miss_to_c
    cmplw   r28, r24
    lwz     r25, VM_BASE(r1)
    clrrwi  r22, r28, 24
    bge-    miss_to_c
    add     r27, r25, r22
    ori     r27, r27, TLBLO_EX | TLBLO_WR | TLBLO_ZSEL(1)
    ori     r22, r22, TLBHI_SIZE(7) | TLBHI_V
    li      r25, SPACE_REAL
    b       show_next

/* After ENTER_LIGHT */
FUNCTION dtlb_to_c
    li      r31, VEC_DTLB
/* The same with the vector in r31. */
LABEL miss_to_c
    mr      r3, r31
    ENTER_REST
    b       exit_checked
