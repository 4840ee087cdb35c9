/* SPDX-License-Identifier: MIT */
/*
 * entry.S - enters a process's thread, and comes back to the kernel.
 *
 * While a thread runs in user mode, sscratch points to its struct user, where its registers are saved. It is 0 while
 * the kernel runs.
 *
 * user_fast() sees a call first whose number is USER_FAST to USER_FAST + 15. It leaves all registers but a0, t0, t1, t2
 * and ra as they are (arch-kept in arch.mk), so only these are saved around it, and it reads no argument. If it completes
 * the call, the thread goes on at once. Registers return as they were or as 0 (amalgam/calls.h): no value of the kernel
 * reaches the process.
 *
 * user_blocking() sees all other calls. It may let other threads run for long; then user_refresh() has set what C does
 * not preserve: x3 and sstatus. The callee-saved registers are stored only when the thread goes back to user_enter()'s
 * caller, and then the record is complete.
 *
 * Interrupts stay off until user_enter() has returned. Until user_blocking() is called, sepc keeps the program counter.
 * bench/nanvix counts from user_vector to saved, and from return to restored.
 */
#include <arch/saved.h>
#include <generated/asm_offsets.h>

#define CAUSE_USER_CALL 8
#define ENTERED         (13 * WORD) /* on the stack, behind what SAVED stores: the thread's struct user */
#define SSTATUS_SPP     (1 << 8)
#define SSTATUS_SPIE    (1 << 5)

    .text
    .balign 4
    .globl user_vector
user_vector:
    csrrw sp, sscratch, sp
    beqz sp, 9f
    STORE x1, 1 * WORD(sp)
    csrr x1, scause
    addi x1, x1, -CAUSE_USER_CALL
    bnez x1, save
    STORE x10, 10 * WORD(sp)
    STORE x17, 17 * WORD(sp)
    mv a0, sp
    csrrw x1, sscratch, zero
    STORE x1, 2 * WORD(a0)
    LOAD sp, USER_KERNEL_SP(a0)
    srli x1, a7, 4
    li t0, USER_FAST >> 4
    bne x1, t0, other
    csrr x1, sepc
    addi x1, x1, 4
    csrw sepc, x1
    mv t3, a0
saved:
    LOAD t0, user_fast
    jalr t0
    beqz a0, not_fast
return:
    csrw sscratch, t3
    LOAD x1, 1 * WORD(t3)
    LOAD x2, 2 * WORD(t3)
    LOAD x10, 10 * WORD(t3)
#if __riscv_xlen == 32
    LOAD x11, 11 * WORD(t3)     /* the upper half of the result */
#endif
    .irp n, 5,6,7,28
    li x\n, 0
    .endr
restored:
    sret
9:  csrrw sp, sscratch, sp
    j trap_entry

not_fast:
    csrr x1, sepc
    mv a0, t3
    j 1f
other:
    csrr x1, sepc
    addi x1, x1, 4
1:  STORE x1, (a0)
    .irp n, 3,4,11,12,13,14,15,16
    STORE x\n, \n * WORD(a0)
    .endr
    LOAD tp, USER_CPU(a0)
    LOAD t0, user_blocking
    jalr t0
    LOAD t3, ENTERED(sp)
    beqz a0, save_call
    LOAD t0, (t3)
    csrw sepc, t0
    csrw sscratch, t3
    .irp n, 1,2,4,10,11,12,13,14,15,16,17
    LOAD x\n, \n * WORD(t3)
    .endr
    .irp n, 5,6,7,28,29,30,31
    li x\n, 0
    .endr
    sret

/* A call that goes on in the kernel. Its temporary registers become 0. */
save_call:
    mv a0, t3
    .irp n, 5,6,7,28,29,30,31
    STORE zero, \n * WORD(a0)
    .endr
    .irp n, 8,9,18,19,20,21,22,23,24,25,26,27
    STORE x\n, \n * WORD(a0)
    .endr
    li t0, CAUSE_USER_CALL      /* scause may be another trap's by now */
    STORE t0, 33 * WORD(a0)
    STORE zero, 34 * WORD(a0)
    j leave
save:
    .irp n, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    STORE x\n, \n * WORD(sp)
    .endr
    mv a0, sp
    csrrw t0, sscratch, zero
    STORE t0, 2 * WORD(a0)
    csrr t0, sepc
    STORE t0, (a0)
    csrr t0, scause
    STORE t0, 33 * WORD(a0)
    csrr t0, stval
    STORE t0, 34 * WORD(a0)
    LOAD tp, USER_CPU(a0)
    LOAD sp, USER_KERNEL_SP(a0)
leave:
    SAVED LOAD         /* of user_enter()'s caller */
    addi sp, sp, SAVED_SIZE
    ret

/* user_enter(user) returns when the thread comes back. */
    .globl user_enter
user_enter:
    addi sp, sp, -SAVED_SIZE
    SAVED STORE
    STORE a0, ENTERED(sp)
    STORE sp, USER_KERNEL_SP(a0)
    csrw sscratch, a0
    LOAD t0, (a0)
    csrw sepc, t0
    li t0, SSTATUS_SPP
    csrc sstatus, t0
    li t0, SSTATUS_SPIE
    csrs sstatus, t0
    .irp n, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
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
