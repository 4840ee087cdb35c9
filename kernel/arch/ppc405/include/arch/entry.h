/* SPDX-License-Identifier: MIT */
/*
 * arch/entry.h - the register convention of the assembly code, and its macros.
 *
 * SPRG3 points to the VM that runs on this core. SPRG0 saves r1 on entry. The kernel runs untranslated. While a guest
 * runs, the hardware MSR is always GUEST_MSR: the guest's own MSR is virtual (regpage.msr).
 *
 * In a fast path:  r1 the VM    r27 the instruction    r28 pc to go on at    r29 the virtual MSR
 *                  r30 guest's CR    r31 guest's CTR    r24-r26 free    r0, LR, XER not touched
 */
#ifndef AMALGAM_ARCH_ENTRY_H
#define AMALGAM_ARCH_ENTRY_H

#include <arch/regs.h>
#include <board/quirks.h>

#define KERNEL_MSR MSR_ME
#define GUEST_MSR  (MSR_PR | MSR_IR | MSR_DR | MSR_EE | MSR_ME | QUIRK_GUEST_MSR)
#define IDLE_MSR   (MSR_WE | MSR_EE | MSR_ME)

/* Bits of MSR that an exception keeps unless it is critical (PPC405 UM 10.4), and bits that mtmsr and rfi can set. */
#define MSR_KEPT  (MSR_CE | MSR_ME | MSR_DE)
#define MSR_VALID (MSR_WE | MSR_CE | MSR_EE | MSR_PR | MSR_FP | MSR_ME | MSR_DWE | MSR_DE | MSR_IR | MSR_DR)

#ifdef __ASSEMBLY__
#include <generated/asm_offsets.h>

/* Enter a path that neither calls C nor touches r0 and the guest's r1, which waits in SPRG0. */
.macro ENTER_LIGHT
    mtsprg0 r1
    mfsprg3 r1
    stmw    r2, VM_GPR+8(r1)
    mfcr    r30
    .endm
/* Return from it to the guest, if it has used \first to r31. SRR0 and SRR1 are set. */
    .macro LEAVE_LIGHT first=22
    mtcrf   0xff, r30
    lmw     \first, VM_GPR+4*\first(r1)
    mfsprg0 r1
    rfi
    .endm

/* Save what ENTER_LIGHT has not: all that a handler or the resumption may touch. */
    .macro ENTER_REST
    stw     r0, VM_GPR(r1)
    mfsprg0 r31
    stw     r31, VM_GPR+4(r1)
    .endm
    .macro ENTER
    ENTER_LIGHT
    ENTER_REST
    .endm

/* Return to the guest from a fast path. SRR0 and SRR1 are set. ctr=0: CTR was not touched. */
    .macro LEAVE ctr=1
    .if     \ctr
    mtctr   r31
    .endif
    mtcrf   0xff, r30
    lmw     r2, VM_GPR+8(r1)
    lwz     r0, VM_GPR(r1)
    lwz     r1, VM_GPR+4(r1)
    rfi
    .endm

/* Set hardware PID and ZPR for the virtual MSR in \msr. r25 becomes the PID. Clobbers r24, r25. */
    .macro SET_SPACE msr
    rlwinm  r25, \msr, 30, 28, 29 /* IR, DR -> 4 * (2 IR + DR) */
    rlwinm  r24, \msr, 20, 29, 29 /* PR -> 4 * PR */
    add     r25, r25, r1
    add     r24, r24, r1
    lwz     r25, VM_SPACE_PID(r25)
    lwz     r24, VM_MODE_ZPR(r24)
    mtspr   SPR_ZPR, r24
    quirk_zpr r24
    mtspr   SPR_PID, r25
    .endm

/* A vector that goes to C directly. */
    .macro TO_C vector
    mtsprg0 r1
    mfsprg3 r1
    stmw    r2, VM_GPR+8(r1)
    li      r3, \vector
    b       exit_synchronous
    .endm

    .macro FUNCTION name
    .section .text.\name, "ax"
    .globl  \name
    .type   \name, @function
\name:
    .endm

/* In a fast path: save what ENTER has not saved, so that C may make another VM the current one. r28 holds pc. */
    .macro SAVE_CONTEXT
    stw     r28, VM_PC(r1)
    stw     r30, VM_CR(r1)
    stw     r31, VM_CTR(r1)
    mflr    r0
    stw     r0, VM_LR(r1)
    mfxer   r0
    stw     r0, VM_XER(r1)
    .endm

/* Set up C's environment: the top of the core's stack, and the base of small data. */
    .macro C_STACK
    lis     r1, c_stack@ha
    addi    r1, r1, c_stack@l
    addi    r13, r1, c_stack_to_sda
    .endm

/* A label that the function before falls through to. It must stay in that function's section, since the linker moves
 * sections. */
    .macro LABEL name
    .globl  \name
    .type   \name, @function
\name:
    .endm

    .macro VECTOR offset
    .section .vector.\offset, "ax"
    .globl  vector_\offset
    .type   vector_\offset, @function
vector_\offset:
    .endm
#endif

#endif
