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
 * words, four at a time, if both addresses are aligned to words. */
    .globl user_copy, user_copy_begin, user_copy_end, user_copy_failed
user_copy:
    li t0, 1 << 18              /* sstatus.SUM */
    csrs sstatus, t0
    add a2, a2, a1
    or t1, a0, a1
    andi t1, t1, WORD - 1
    bnez t1, 2f
    addi t2, a2, -4 * WORD      /* the last address of four whole words */
    bgtu a1, t2, 6f
user_copy_begin:
5:  L t1, (a1)
    L t3, WORD(a1)
    L t4, 2 * WORD(a1)
    L t5, 3 * WORD(a1)
    S t1, (a0)
    S t3, WORD(a0)
    S t4, 2 * WORD(a0)
    S t5, 3 * WORD(a0)
    addi a1, a1, 4 * WORD
    addi a0, a0, 4 * WORD
    bleu a1, t2, 5b
    beq a1, a2, 3f
6:  addi t2, a2, -WORD
    bgtu a1, t2, 2f
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
