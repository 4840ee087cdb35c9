/* SPDX-License-Identifier: MIT */
/*
 * start.S - reset, the trap entry from S- and U-mode, and the return. QEMU enters all harts at FW_BASE at the same time.
 *
 * While a hart is in S- or U-mode, mscratch holds the top of its stack, which is the end of its area in FW_AREAS.
 */
#include "hart.h"

#if __riscv_xlen == 64
#define REG 8
#define L   ld
#define S   sd
#else
#define REG 4
#define L   lw
#define S   sw
#endif
#define FRAME (32 * REG)

    .option norelax
    .section .start, "ax"
    .globl _start
_start:
    csrw mie, zero
    csrr a0, mhartid
    li t0, FW_TABLE
    lw t1, 8(t0) /* n_harts */
    bgeu a0, t1, 1f
    li t0, FW_AREAS
    addi t1, a0, 1
    slli t1, t1, HART_AREA_SHIFT
    add sp, t0, t1
    csrw mscratch, sp
    la t0, trap_entry
    csrw mtvec, t0
    call hart_boot
1:  wfi /* a hart that is not in the table */
    j 1b

/* Saves the registers that a C function may change. C preserves the others, and does not use gp and tp. */
    .text
    .balign 4
    .globl trap_entry
trap_entry:
    csrrw sp, mscratch, sp
    addi sp, sp, -FRAME
    .irp n, 1, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
    S x\n, \n*REG(sp)
    .endr
    csrr t0, mscratch
    S t0, 2*REG(sp)
    addi t0, sp, FRAME
    csrw mscratch, t0
    csrr a0, mhartid
    mv a1, sp
    csrr a2, mcause
    call trap
    .irp n, 1, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
    L x\n, \n*REG(sp)
    .endr
    L sp, 2*REG(sp)
    mret

/* enter_supervisor(a0, a1, a2, a3, pc): discards the contents of the stack; the next trap begins at its top. */
    .globl enter_supervisor
enter_supervisor:
    csrw mepc, a4
    li t0, FW_AREAS
    csrr t1, mhartid
    addi t1, t1, 1
    slli t1, t1, HART_AREA_SHIFT
    add t0, t0, t1
    csrw mscratch, t0
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    li x\n, 0
    .endr
    fence.i
    sfence.vma
    mret
