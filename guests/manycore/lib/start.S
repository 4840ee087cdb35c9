/* SPDX-License-Identifier: MIT */
/* start.S - entry of a cluster's first hart and of the others, accesses that may fault, and the trap vector that stores the
 * cause. */
#include "guest.h"

#if __riscv_xlen == 64
#define L ld
#define S sd
#define REG 8
#else
#define L lw
#define S sw
#define REG 4
#endif

    .option norelax
    .section .start, "ax"
    .globl _start
_start: /* a0: hart, a1: device tree, a2: number of this start */
    la t0, bss_begin
    la t1, bss_end
1:  bgeu t0, t1, 2f
    S zero, (t0)
    addi t0, t0, REG
    j 1b
2:  la sp, stacks
    li t0, 1 << STACK_SHIFT
    add sp, sp, t0
    la t0, vector
    csrw stvec, t0
    csrwi sie, 2
    call first_hart
3:  wfi
    j 3b

    .text
    .globl other_start
other_start: /* a0: hart, a1: its number in the cluster */
    la sp, stacks
    addi t0, a1, 1
    slli t0, t0, STACK_SHIFT
    add sp, sp, t0
    la t0, vector
    csrw stvec, t0
    csrwi sie, 2
    call guest_hart
4:  wfi
    j 4b

/* touch_asm(how, address): returns t6, which the trap vector sets to the cause. Every access instruction is 4 bytes long,
 * so that the vector can skip it. */
    .globl touch_asm
    .balign 4
touch_asm:
    mv t5, ra
    li t6, NO_FAULT
    .option push
    .option norvc
    beqz a0, 1f
    addi a0, a0, -1
    beqz a0, 2f
    jalr ra, 0(a1)
    j 3f
1:  lw t0, 0(a1)
    j 3f
2:  sw t6, 0(a1)
3:  mv a0, t6
    mv ra, t5
    .option pop
    ret

/* The trap vector. From S-mode: store the cause in t6 and continue after the access, or after the call of a fetch. From
 * U-mode: continue in touch_user_asm. */
    .balign 4
vector:
    csrr t6, sstatus
    andi t6, t6, 0x100
    beqz t6, from_user
    csrr t6, scause
    li t4, 1
    beq t6, t4, 1f
    li t4, 12
    beq t6, t4, 1f
    csrr t4, sepc
    addi t4, t4, 4
    csrw sepc, t4
    sret
1:  csrw sepc, ra
    sret
from_user:
    csrr a0, scause
    csrr a1, stval
    csrr sp, sscratch
    la t0, vector
    csrw stvec, t0
    L ra, 0(sp)
    L s0, REG(sp)
    L s1, 2*REG(sp)
    addi sp, sp, 64
    ret

/* touch_user_asm(how, address, pc): enters U-mode at pc with the first two arguments. Returns the cause of the trap that
 * ends it. */
    .globl touch_user_asm
touch_user_asm:
    addi sp, sp, -64
    S ra, 0(sp)
    S s0, REG(sp)
    S s1, 2*REG(sp)
    csrw sscratch, sp
    csrw sepc, a2
    li t0, 0x100
    csrc sstatus, t0
    sret

/* The page for U-mode: the access, then ebreak (cause 3) if it succeeded. */
    .section .user, "ax"
    .balign 4096
    .globl user_begin, user_end
user_begin:
    .option push
    .option norvc
    beqz a0, 1f
    addi a0, a0, -1
    beqz a0, 2f
    addi a0, a0, -1
    beqz a0, 4f
    wfi
1:  lw t0, 0(a1)
    ebreak
2:  sw a0, 0(a1)
    ebreak
4:  jalr ra, 0(a1)
    ebreak
    .option pop
user_end:
