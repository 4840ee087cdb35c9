/* SPDX-License-Identifier: MIT */
/*
 * emulate.S - emulates frequent privileged instructions without C.
 *
 * All other instructions, and the special cases of these, are emulated in emulate.c.
 */
#include <arch/entry.h>
#include <wcet.h>
#include <arch/emulate_hash.h>

VECTOR 0700
    ENTER
    mfctr   r31
    mfspr   r29, SPR_ESR
    mtcrf   0x40, r29
    lwz     r29, REG_MSR(r1)
    bf-     5, program_other /* not ESR[PPR]: an illegal instruction or a trap. The kernel's own instructions are never refused as privileged */
    mtcrf   0x08, r29
    bt-     17, program_other /* MSR[PR]: the guest's own problem state */
    /* Read the instruction through the translation that has just fetched it: an entry that permits execution can be
     * read in supervisor state. */
    mfsrr0  r28
    li      r26, KERNEL_MSR | MSR_DR
    mtmsr   r26
    isync
    .globl  fetch_guest
fetch_guest:
    lwz     r27, 0(r28)
    li      r26, KERNEL_MSR
    mtmsr   r26
    isync
    rlwinm  r26, r27, 0, 21, 5 /* OP_MASK */
    mulli   r25, r26, OP_MUL
    rlwinm  r25, r25, 32-OP_SHIFT+3, 29-OP_BITS, 28
    addis   r25, r25, emulate_table@ha
    lwz     r24, emulate_table@l(r25)
    cmpw    r24, r26
    lwz     r25, emulate_table@l+4(r25)
    mtctr   r25
    bne-    emulate_slow
    INDIRECT_TABLE emulate_table, 1 << OP_BITS, 8, 4
    bctr

/* Go on in C. The instruction at r28 has not been emulated. */
FUNCTION emulate_slow
    mr      r3, r1
    mr      r4, r27
    SAVE_CONTEXT
    C_STACK
    bl      emulate
    b       return_from_c
FUNCTION program_other
    li      r3, VEC_PROGRAM
    b       exit_checked

/* ---- MSR ---- */

FUNCTION emulate_rfi
    lwz     r28, REG_SRR0(r1)
    lwz     r26, REG_SRR1(r1)
    clrrwi  r28, r28, 2
    b       write_msr

FUNCTION emulate_mtmsr
    rlwinm  r26, r27, 13, 25, 29
    lwzx    r26, r1, r26
    addi    r28, r28, 4
/* Set the guest's MSR to r26; r29 is the old one. Go on at r28. */
LABEL write_msr
    lis     r25, MSR_VALID@h
    ori     r25, r25, MSR_VALID@l
    and     r26, r26, r25
    stw     r26, REG_MSR(r1)
    mtsrr0  r28
    xor     r25, r26, r29
    andi.   r25, r25, MSR_PR | MSR_IR | MSR_DR
    beq     1f
    SET_SPACE r26
1:  lwz     r25, VM_PENDING(r1)
    rlwimi. r25, r26, 0, 13, 13 /* MSR[WE]: let C wait for an interrupt */
    bne-    msr_pending
2:  LEAVE

/* Something is pending, or MSR[WE] is set: can it be delivered? r26 is the MSR. */
LABEL msr_pending
    andis.  r25, r26, (MSR_WE | MSR_CE)@h
    bne     exit_pending
    andi.   r25, r26, MSR_EE
    beq     2b
    b       exit_pending

LABEL emulate_wrtee
    rlwinm  r26, r27, 13, 25, 29
    lwzx    r27, r1, r26
LABEL emulate_wrteei
    mr      r26, r29
    rlwimi  r26, r27, 0, 16, 16 /* MSR[EE] from the register, or from the instruction, where it has the same place */
    stw     r26, REG_MSR(r1)
    addi    r28, r28, 4
    mtsrr0  r28
    b       1b

FUNCTION emulate_mfmsr
    rlwinm  r26, r27, 13, 25, 29
    stwx    r29, r1, r26
/* The instruction is complete. */
LABEL emulate_next
    addi    r28, r28, 4
    mtsrr0  r28
    LEAVE

/* ---- special purpose registers in the register page ---- */

/* r24 becomes the entry of spr_table for the instruction r27. Goes to C if there is none. Clobbers r25, r26. */
    .macro LOOK_UP_SPR
    rlwinm  r26, r27, 21, 22, 31
    mulli   r25, r26, SPR_MUL
    rlwinm  r25, r25, 32-SPR_SHIFT+2, 30-SPR_BITS, 29
    addis   r25, r25, spr_table@ha
    lwz     r24, spr_table@l(r25)
    xor     r25, r24, r27
    rlwinm. r25, r25, 0, 11, 20
    bne-    emulate_slow
    .endm

FUNCTION emulate_mfspr
    LOOK_UP_SPR
    clrlwi  r24, r24, 22
    add     r24, r24, r1
    lwz     r25, VM_REGS(r24)
    rlwinm  r26, r27, 13, 25, 29
    stwx    r25, r1, r26
    b       emulate_next

FUNCTION emulate_mtspr
    LOOK_UP_SPR
    rlwinm  r26, r27, 13, 25, 29
    lwzx    r26, r1, r26
    cmpwi   r24, 0
    clrlwi  r25, r24, 22
    add     r25, r25, r1
    blt-    mtspr_special
mtspr_store:
    stw     r26, VM_REGS(r25)
    b       emulate_next

/* Registers whose write does more than store. The entry's next bits select the handler, two instructions each. */
FUNCTION mtspr_special
    rlwinm  r24, r24, 11, 25, 28
    addis   r24, r24, 1f@ha
    addi    r24, r24, 1f@l
    mtctr   r24
    .irp    n, 0, 8, 16, 24, 32, 40, 48, 56
    INDIRECT_CALL 1f + \n
    .endr
    bctr
1:  mtspr   SPR_SPRG4, r26 /* the guest's programs can read these without a trap */
    b       mtspr_store
    mtspr   SPR_SPRG5, r26
    b       mtspr_store
    mtspr   SPR_SPRG6, r26
    b       mtspr_store
    mtspr   SPR_SPRG7, r26
    b       mtspr_store
    clrrwi  r26, r26, 16 /* EVPR */
    b       mtspr_store
    lwz     r24, REG_ZPR(r1)
    b       write_zpr
    clrlwi  r26, r26, 24 /* PID */
    b       write_pid
    mtctr   r31 /* the others, in C */
    b       emulate_slow

/* If no shadow in the hardware TLB depends on a zone that changes, no purge is needed. */
FUNCTION write_zpr
    lwz     r0, VM_ZONES(r1)
    xor     r24, r24, r26
    and.    r24, r24, r0
    beq     mtspr_store
    b       emulate_slow

/* Only the fully translated space has a hardware PID that follows the guest's. */
FUNCTION write_pid
    lwz     r24, VM_PID_SLOW(r1)
    cmplwi  r26, 250 /* larger PIDs share a space */
    bgt-    emulate_slow
    cmpwi   r24, 0
    bne-    emulate_slow
    addi    r24, r26, 4
    stw     r24, VM_SPACE_PID+12(r1)
    mfspr   r29, SPR_PID
    cmplwi  r29, SPACE_PID
    blt     mtspr_store
    mtspr   SPR_PID, r24
    b       mtspr_store
