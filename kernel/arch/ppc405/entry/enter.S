/* SPDX-License-Identifier: MIT */
/*
 * enter.S - enters C and returns.
 *
 * It calls vm_exit(vector, insn) on the core's only stack. `resume` then goes on with core.current, which may be
 * another VM.
 */
#include <arch/entry.h>

/* Called by a vector that has done the first part of ENTER. r3: the vector. */
FUNCTION exit_synchronous
    stw     r0, VM_GPR(r1)
    mfsprg0 r31
    stw     r31, VM_GPR+4(r1)
    mfcr    r30
/* After ENTER. r4: the argument. An exception in the kernel is a bug in it. */
LABEL exit_checked
    mfsrr1  r29
    andi.   r29, r29, MSR_PR
    beq-    exit_kernel_fault
LABEL exit_interrupt
    mfctr   r31
    mfsrr0  r28
/* From a fast path: r28 pc, r31 CTR. */
LABEL exit_to_c
    SAVE_CONTEXT
    C_STACK
    bl      vm_exit

/* After C, which may have made another VM current. Before that goes on, its pending interrupts are delivered, or the
 * core sleeps. */
LABEL return_from_c
    lwz     r1, core+CORE_CURRENT@sda21(0)
    cmpwi   r1, 0
    beq-    resume_idle
    lwz     r25, VM_PENDING(r1)
    lwz     r29, REG_MSR(r1)
    rlwimi. r25, r29, 0, 13, 13 /* MSR[WE] */
    bne-    resume_pending
LABEL resume_current
    mtsprg3 r1
    SET_SPACE r29
    lis     r29, GUEST_MSR@h
    ori     r29, r29, GUEST_MSR@l
    mtsrr1  r29
    lwz     r28, VM_PC(r1)
    mtsrr0  r28
LABEL resume_registers
    lwz     r0, VM_LR(r1)
    mtlr    r0
    lwz     r0, VM_XER(r1)
    mtxer   r0
    lwz     r30, VM_CR(r1)
    lwz     r31, VM_CTR(r1)
    LEAVE

/* From a fast path: MSR[EE], [CE] or [WE] has been set, and something is pending or the guest waits for it. */
FUNCTION exit_pending
    SAVE_CONTEXT
LABEL resume_pending
    C_STACK
    bl      before_resuming
LABEL resume
    lwz     r1, core+CORE_CURRENT@sda21(0)
    cmpwi   r1, 0
    beq-    resume_idle
    lwz     r29, REG_MSR(r1)
    b       resume_current
FUNCTION resume_idle
    lis     r3, idle_context@ha
    addi    r3, r3, idle_context@l
    mtsprg3 r3
    lis     r3, idle@ha
    addi    r3, r3, idle@l
    mtsrr0  r3
    lis     r3, IDLE_MSR@h
    ori     r3, r3, IDLE_MSR@l
    mtsrr1  r3
    rfi

FUNCTION exit_kernel_fault
    mfsrr1  r4
    mfsrr0  r5
    b       fault
/* r3 vector, r4 MSR, r5 pc */
FUNCTION fault
    C_STACK
    bl      kernel_fault
    b       return_from_c
