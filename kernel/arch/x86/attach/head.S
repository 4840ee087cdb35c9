/* SPDX-License-Identifier: MIT */
/* head.S - the image's entry at load. */
#include <api/attach.h>

#include "segments.h"

    .section .init.text, "ax"
/* The one call at load. Page tables and stack are the module's; attach_init() uses the record. */
    .globl attach_init_entry
attach_init_entry:
    lgdt boot_gdtr(%rip)
    OUR_SEGMENTS
    push %rdi
    call attach_init
    pop %rdi
    jmp attach_leave

    .section .rodata
    .balign 8
boot_gdt:
    .quad 0
    .quad 0x00af9b000000ffff    /* 0x08 64-bit code */
    .quad 0x00cf93000000ffff    /* 0x10 data */
boot_gdtr:
    .word . - boot_gdt - 1
    .quad boot_gdt

    .section .note.GNU-stack, "", @progbits
