/* SPDX-License-Identifier: MIT */
/* switch_hardware.S - where a task of the processor begins: the switch to it has set TS, as every one does. */
    .text
    .globl task_start
task_start:
    clts
    jmp context_start

    .section .note.GNU-stack, "", @progbits
