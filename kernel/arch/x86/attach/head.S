/* SPDX-License-Identifier: MIT */
/* head.S - the image's header, and its entry at load. */
#include <api/attach.h>

#include "segments.h"

    .section .attach_header, "a"
    .globl attach_header
attach_header:
    .quad ATTACH_MAGIC
    .long ATTACH_ABI, 0
    .quad 0xffffffff80000000
    .quad file_end
    .quad image_end
    .quad attach_init_entry

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
