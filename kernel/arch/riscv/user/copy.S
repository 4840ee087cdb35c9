/* SPDX-License-Identifier: MIT */
/* copy.S - the only instructions of the kernel that touch a process's addresses; a fault of them goes on elsewhere. */
    .text
/* user_copy(to, from, n): 0, or -EFAULT by user/fault.c. Interrupts off, n is not 0. */
    .globl user_copy, user_copy_begin, user_copy_end, user_copy_failed
user_copy:
    li t0, 1 << 18              /* sstatus.SUM */
    csrs sstatus, t0
    add a2, a2, a1
user_copy_begin:
1:  lb t1, (a1)
    sb t1, (a0)
    addi a1, a1, 1
    addi a0, a0, 1
    bltu a1, a2, 1b
user_copy_end:
    li a0, 0
2:  csrc sstatus, t0
    ret
user_copy_failed:
    li t0, 1 << 18
    li a0, -14                  /* EFAULT */
    j 2b

    .section .note.GNU-stack, "", @progbits
