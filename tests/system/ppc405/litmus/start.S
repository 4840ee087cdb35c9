/* SPDX-License-Identifier: MIT */
/* start.S - from the loader to main(), in SRAM, untranslated, without interrupts. */
    .globl  _start
_start:
    lis     1, stack_top@ha
    addi    1, 1, stack_top@l
    li      0, 0
    stwu    0, -16(1)
    bl      main
    lis     3, 0x3000 /* DBCR0: system reset ends the run */
    mtspr   0x3f2, 3
1:  b       1b

    .section .bss
    .balign 16
    .space  4096
stack_top:
