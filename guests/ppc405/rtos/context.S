/* SPDX-License-Identifier: MIT */
/*
 * context.S - the vectors, interrupts and task switches.
 *
 * Interrupts are only taken in tasks, never in the kernel, so the stack pointer is valid and the state is saved on the
 * stack. No scratch register is needed.
 */
#include <guest.h>
#include "context.h"
#include <cpu_ops.inc> /* of native/ or para/: GET_PC, GET_MSR, RETURN_TO */

        .macro  ENTRY offset
        .org    vectors + \offset
        stwu    %r1, -CONTEXT_SIZE(%r1)
        stw     %r3, CONTEXT_GPR + 12(%r1)
        li      %r3, \offset
        b       interrupted
        .endm

        .section .vectors, "ax"
        .globl  vectors
vectors:
        ENTRY   VEC_DSI
        ENTRY   VEC_ISI
        ENTRY   VEC_EXTERNAL
        ENTRY   VEC_ALIGN
        ENTRY   VEC_PROGRAM
        ENTRY   VEC_SC
        ENTRY   VEC_PIT
        ENTRY   VEC_DTLB
        ENTRY   VEC_ITLB

        .text
interrupted:
        stw     %r0, CONTEXT_GPR(%r1)
        stw     %r2, CONTEXT_GPR + 8(%r1)
        stmw    %r4, CONTEXT_GPR + 16(%r1)
        GET_PC  %r4
        stw     %r4, CONTEXT_PC(%r1)
        GET_MSR %r4
        stw     %r4, CONTEXT_MSR(%r1)
        mfcr    %r4
        stw     %r4, CONTEXT_CR(%r1)
        mflr    %r4
        stw     %r4, CONTEXT_LR(%r1)
        mfctr   %r4
        stw     %r4, CONTEXT_CTR(%r1)
        mfxer   %r4
        stw     %r4, CONTEXT_XER(%r1)
        li      %r4, CONTEXT_INTERRUPTED
        stw     %r4, CONTEXT_KIND(%r1)
        bl      interrupt
        b       go_on

        .globl  context_switch
context_switch:
        stwu    %r1, -CONTEXT_SIZE(%r1)
        stmw    %r13, CONTEXT_GPR + 52(%r1)
        mflr    %r4
        stw     %r4, CONTEXT_LR(%r1)
        mfcr    %r4
        stw     %r4, CONTEXT_CR(%r1)
        li      %r4, CONTEXT_WAITS
        stw     %r4, CONTEXT_KIND(%r1)
/* Save r1 in current, and switch to next_task. */
go_on:
        lis     %r4, current@ha
        lwz     %r5, current@l(%r4)
        stw     %r1, 0(%r5)
        .globl  context_start
context_start:
        lis     %r4, current@ha
        lis     %r6, next_task@ha
        lwz     %r5, next_task@l(%r6)
        stw     %r5, current@l(%r4)
        lwz     %r1, 0(%r5)
        lwz     %r4, CONTEXT_CR(%r1)
        mtcr    %r4
        lwz     %r4, CONTEXT_LR(%r1)
        mtlr    %r4
        lwz     %r4, CONTEXT_KIND(%r1)
        cmpwi   %cr1, %r4, CONTEXT_INTERRUPTED
        beq     %cr1, 1f
        lmw     %r13, CONTEXT_GPR + 52(%r1)
        lwz     %r4, CONTEXT_CR(%r1)
        mtcr    %r4
        addi    %r1, %r1, CONTEXT_SIZE
        blr
1:      lwz     %r4, CONTEXT_CTR(%r1)
        mtctr   %r4
        lwz     %r4, CONTEXT_XER(%r1)
        mtxer   %r4
        lwz     %r4, CONTEXT_PC(%r1)
        lwz     %r5, CONTEXT_MSR(%r1)
        SET_RETURN %r4, %r5
        lwz     %r4, CONTEXT_CR(%r1)
        mtcr    %r4
        lwz     %r0, CONTEXT_GPR(%r1)
        lmw     %r2, CONTEXT_GPR + 8(%r1)
        RETURN_FROM %r1, CONTEXT_SIZE
