/* SPDX-License-Identifier: MIT */
/* start.S - from the loader to guest_main(): sets up a stack, the vectors and the command line; and power_off(). */
#include <guest.h>

        .section .text.start, "ax"
        .globl  _start
_start: lis     %r1, stack_top@ha
        addi    %r1, %r1, stack_top@l
        li      %r0, 0
        stwu    %r0, -16(%r1)
        lis     %r4, command_line@ha
        stw     %r6, command_line@l(%r4)
        lis     %r4, device_tree@ha
        stw     %r3, device_tree@l(%r4)
        lis     %r4, vectors@h
        mtspr   SPR_EVPR, %r4
        bl      guest_main
        .globl  power_off
power_off:                              /* wait until the transmitter is empty, then reset the system */
        lis     %r4, UART_EMPTY@ha
1:      lbz     %r5, UART_EMPTY@l(%r4)
        andi.   %r5, %r5, 0x40
        beq     1b
        lis     %r4, DBCR0_RST_SYSTEM@h
        mtspr   SPR_DBCR0, %r4
2:      b       2b
        .set    UART_EMPTY, 0xef600305

        .section .bss
        .balign 16
        .space  16384
        .globl  stack_top
stack_top:
