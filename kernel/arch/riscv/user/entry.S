/* SPDX-License-Identifier: MIT */
/*
 * entry.S - enters a process's thread, and comes back to the kernel.
 *
 * While a thread runs in user mode, sscratch points to its struct user, where its registers are saved. It is 0 while
 * the kernel runs.
 *
 * user_fast() sees a system call first. If it completes the call, the thread goes on at once, and the callee-saved
 * registers were never touched. Other registers return as they were or as 0 (amalgam/calls.h): no value of the kernel
 * reaches the process.
 *
 * user_blocking() sees what user_fast() has not completed. It may let other threads run for long, so what C does not
 * preserve is set again behind it: x3 and sstatus. A debugger needs the complete record of a thread that waits: the
 * callee-saved registers are in it, but they are never loaded from it here.
 *
 * Interrupts stay off until user_enter() has returned. Until user_blocking() is called, sepc keeps the program counter.
 * bench/nanvix counts from user_vector to saved, and from return to restored.
 */
#include <arch/saved.h>
#include <generated/asm_offsets.h>

#define CAUSE_USER_CALL 8
#define SSTATUS_SPP     (1 << 8)
#define SSTATUS_SPIE    (1 << 5)

    .macro KEPT op              /* callee-saved registers without s0 */
    .irp n, 9,18,19,20,21,22,23,24,25,26,27
    \op x\n, \n * WORD(a0)
    .endr
    .endm

    .text
    .balign 4
    .globl user_vector
user_vector:
    csrrw sp, sscratch, sp
    beqz sp, 9f
    STORE x1, 1 * WORD(sp)
    STORE x4, 4 * WORD(sp)
    STORE x5, 5 * WORD(sp)
    STORE x8, 8 * WORD(sp)
    .irp n, 10,11,12,13,14,15,16,17
    STORE x\n, \n * WORD(sp)
    .endr
    mv s0, sp
    csrrw t0, sscratch, zero
    STORE t0, 2 * WORD(s0)
    LOAD tp, USER_CPU(s0)
    LOAD sp, USER_KERNEL_SP(s0)
    csrr a1, scause
    csrr t0, sepc
    addi a1, a1, -CAUSE_USER_CALL
    bnez a1, save
    addi t0, t0, 4
    csrw sepc, t0
    mv a0, s0
saved:
    LOAD t0, user_fast
    jalr t0
    beqz a0, blocking
return:
    csrw sscratch, s0
    LOAD x1, 1 * WORD(s0)
    LOAD x2, 2 * WORD(s0)
    LOAD x4, 4 * WORD(s0)
    .irp n, 10,11,12,13,14,15,16,17
    LOAD x\n, \n * WORD(s0)
    .endr
    .irp n, 5,6,7,28,29,30,31
    li x\n, 0
    .endr
    LOAD x8, 8 * WORD(s0)
restored:
    sret
9:  csrrw sp, sscratch, sp
    j trap_entry

blocking:
    mv a0, s0
    csrr t0, sepc
    STORE t0, (a0)
    KEPT STORE
    STORE x3, 3 * WORD(a0)
    LOAD t0, user_blocking
    jalr t0
    beqz a0, save_call
    LOAD x3, 3 * WORD(s0)
    li t0, SSTATUS_SPP
    csrc sstatus, t0
    li t0, SSTATUS_SPIE
    csrs sstatus, t0
    LOAD t0, (s0)
    csrw sepc, t0
    j return

/* A call that goes on in the kernel. Its temporary registers become 0. */
save_call:
    mv a0, s0
    .irp n, 5,6,7,28,29,30,31
    STORE zero, \n * WORD(a0)
    .endr
    li t0, CAUSE_USER_CALL      /* scause may be another trap's by now */
    STORE t0, 33 * WORD(a0)
    STORE zero, 34 * WORD(a0)
    j leave
save:
    mv a0, s0
    STORE t0, (a0)
    .irp n, 6,7,28,29,30,31
    STORE x\n, \n * WORD(a0)
    .endr
    KEPT STORE
    STORE x3, 3 * WORD(a0)
    csrr t0, scause
    STORE t0, 33 * WORD(a0)
    csrr t0, stval
    STORE t0, 34 * WORD(a0)
leave:
    SAVED LOAD         /* of user_enter()'s caller */
    addi sp, sp, SAVED_SIZE
    ret

/* user_enter(user) returns when the thread comes back. */
    .globl user_enter
user_enter:
    addi sp, sp, -SAVED_SIZE
    SAVED STORE
    STORE sp, USER_KERNEL_SP(a0)
    csrw sscratch, a0
    LOAD t0, (a0)
    csrw sepc, t0
    li t0, SSTATUS_SPP
    csrc sstatus, t0
    li t0, SSTATUS_SPIE
    csrs sstatus, t0
    KEPT LOAD
    .irp n, 1,2,3,4,5,6,7,8,11,12,13,14,15,16,17,28,29,30,31
    LOAD x\n, \n * WORD(a0)
    .endr
    LOAD a0, 10 * WORD(a0)
    sret

    .bss
    .balign WORD
    .globl user_fast, user_blocking
user_fast:
    .skip WORD
user_blocking:
    .skip WORD

    .section .note.GNU-stack, "", @progbits
