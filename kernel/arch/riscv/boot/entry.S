/* SPDX-License-Identifier: MIT */
/*
 * entry.S - from the firmware to C. Translation is off.
 *
 * Of the hart that boots: a0 holds its number, a1 the device tree, a2 counts the starts before this one where the tree
 * says that, a3 is FRESH where memory is zero (docs/boards.md). See SBI specification 1.0, 9.1, and RISC-V Linux' boot
 * protocol.
 *
 * OpenSBI before 1.3 lets a hart go before it has stored where to, and with what (docs/riscv.md): that hart may come to
 * `start`, as the first one did. So who finds that another hart was here is one that smp_start() starts, and a started
 * hart takes its record from there.
 *
 * A page fault turns to virtual addresses: stvec holds the virtual address of the next code, and the instruction after
 * the write of satp is not mapped.
 */
#include <arch/width.h>
#include <generated/asm_offsets.h>

#define FRESH 0x5a45524f

    .section .start, "ax"
    .globl start
start:
    j boot

    .section .init.text, "ax"
boot:
    lla t0, begun
    li t1, 1
    amoswap.w t1, t1, (t0)
    bnez t1, hart_entry
    csrw sie, zero
    csrw sscratch, zero
    mv s0, a0
    mv s1, a1
    mv s3, a2
    li t0, FRESH
    beq a3, t0, 2f
    lla t0, bss_start
    lla t1, bss_end             /* behind it is the stack */
1:  .irp n, 0,1,2,3,4,5,6,7
    STORE zero, \n * WORD(t0)
    .endr
    addi t0, t0, 8 * WORD
    bltu t0, t1, 1b
2:  lla sp, boot_stack_top
    lla a0, image_start
    mv s2, a0
    mv a1, s1
    call boot_tables
    lla t0, kernel_satp
    STORE a0, (t0)
    lla t3, first_virtual
    j enable
    .balign 4
first_virtual:
    add sp, sp, t1
    mv a0, s0
    mv a1, s1
    mv a2, s2
    mv a3, s3
    call arch_main

    .balign 4
    .globl hart_entry
hart_entry:
    csrw sie, zero
    csrw sscratch, zero
    fence rw, rw                /* smp_starting was stored before the call that let this hart go */
    LOAD s1, smp_starting
    LOAD a0, kernel_satp
    lla t3, hart_virtual
    j enable
    .balign 4
hart_virtual:
    mv tp, s1
    li t0, CPU_START_SP
    add t0, t0, tp
    LOAD sp, (t0)
    mv a0, s1
    call hart_main

/* a0: the value for satp; t3: where to go on. t1 becomes the distance from physical to virtual addresses. */
enable:
    lla t0, image_start
    LOAD t1, link_address
    sub t1, t1, t0
    add t3, t3, t1
    csrw stvec, t3
    sfence.vma
    csrw satp, a0
2:  wfi
    j 2b

    .balign WORD
link_address:
    WORD_VALUE image_start
begun:                          /* with translation off this can be written, and it goes with the boot code */
    .word 0

    .section .note.GNU-stack, "", @progbits
