/* SPDX-License-Identifier: MIT */
/* copy.S - the only kernel code that accesses a process's addresses. After a fault it goes on at user_copy_failed. */
#if __riscv_xlen == 64
#define WORD 8
#define L    ld
#define S    sd
#else
#define WORD 4
#define L    lw
#define S    sw
#endif
    .text
/* user_copy(to, from, n) returns 0, or -EFAULT through user/fault.c. Interrupts are off, and n is not 0. It copies
 * words if both addresses are aligned to words. */
    .globl user_copy, user_copy_begin, user_copy_end, user_copy_failed
user_copy:
    li t0, 1 << 18              /* sstatus.SUM */
    csrs sstatus, t0
    add a2, a2, a1
    addi t2, a2, -WORD          /* the last address of a whole word */
    or t1, a0, a1
    andi t1, t1, WORD - 1
    bnez t1, 2f
    bgtu a1, t2, 2f
user_copy_begin:
1:  L t1, (a1)
    S t1, (a0)
    addi a1, a1, WORD
    addi a0, a0, WORD
    bleu a1, t2, 1b
    beq a1, a2, 3f
2:  lb t1, (a1)
    sb t1, (a0)
    addi a1, a1, 1
    addi a0, a0, 1
    bltu a1, a2, 2b
user_copy_end:
3:  li a0, 0
4:  csrc sstatus, t0
    ret
user_copy_failed:
    li t0, 1 << 18
    li a0, -14                  /* EFAULT */
    j 4b

    .section .note.GNU-stack, "", @progbits
