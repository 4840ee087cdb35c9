/* SPDX-License-Identifier: MIT */
/*
 * traps.S - saves the registers of an interrupted kernel in a struct trap_frame on its stack, calls C, and returns.
 *
 * Traps from processes enter by user/entry.S, which passes traps from the kernel on to here.
 *
 * sscratch is 0 while the kernel runs. A kernel stack is the upper half of its aligned slot. A stack pointer in the
 * lower half is an overflow, which is reported on the idle thread's stack (arch/percpu.h).
 */
#include <arch/context.h>
#include <arch/width.h>
#include <generated/asm_offsets.h>

#define FRAME (36 * WORD)

    .macro REGISTERS op
    \op x1, 1 * WORD(sp)
    .irp n, 3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \op x\n, \n * WORD(sp)
    .endr
    .endm

/* sscratch holds x5 (t0). */
    .macro SAVE
    REGISTERS STORE
    csrrw t0, sscratch, zero
    STORE t0, 5 * WORD(sp)
    csrr t0, sepc
    STORE t0, (sp)
    csrr t0, sstatus
    STORE t0, 32 * WORD(sp)
    csrr t0, scause
    STORE t0, 33 * WORD(sp)
    csrr t0, stval
    STORE t0, 34 * WORD(sp)
    mv a0, sp
    .endm

    .text
    .balign 4
    .globl trap_entry
trap_entry:
    addi sp, sp, -FRAME
    csrw sscratch, t0
    srli t0, sp, HAL_STACK_SHIFT
    andi t0, t0, 1
    beqz t0, overflow
    SAVE
    addi t0, sp, FRAME
    STORE t0, 2 * WORD(sp)
    call trap_dispatch
    .globl trap_return
trap_return:                    /* for backtrace.c: a struct trap_frame is above this return address */
    LOAD t0, (sp)
    csrw sepc, t0
    LOAD t0, 32 * WORD(sp)
    csrw sstatus, t0
    REGISTERS LOAD
    LOAD x5, 5 * WORD(sp)
    addi sp, sp, FRAME
    sret

overflow:
    addi t0, sp, FRAME
    li sp, CPU_START_SP
    add sp, sp, tp
    LOAD sp, (sp)
    addi sp, sp, -REPORT_BELOW - FRAME
    STORE t0, 2 * WORD(sp)
    SAVE
    call trap_overflow

    .section .note.GNU-stack, "", @progbits
