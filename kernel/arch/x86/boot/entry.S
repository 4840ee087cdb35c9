/* SPDX-License-Identifier: MIT */
/*
 * entry.S - entry from a boot loader in 32-bit protected mode without paging (PVH: start_info in ebx; multiboot2: magic
 * in eax, information in ebx). It continues at boot_width, which goes on to C (64/long_mode.S). The other cores come
 * through trampoline.S and continue at boot_join.
 */
    .section .multiboot2, "a"
    .balign 8
mb2_header:
    .long 0xe85250d6, 0, mb2_end - mb2_header, -(0xe85250d6 + 0 + (mb2_end - mb2_header))
    .balign 8
    .short 6, 0                 /* modules page aligned */
    .long 8
    .balign 8
    .short 3, 0                 /* entry address */
    .long 12
    .long start_multiboot2
    .balign 8
    .short 0, 0
    .long 8
mb2_end:

    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 4, 18              /* XEN_ELFNOTE_PHYS32_ENTRY */
    .asciz "Xen"
    .long start_pvh

    .section .boot.text, "ax"
    .code32
    .globl start_pvh, start_multiboot2
start_pvh:
    mov $1, %ebp
    jmp 1f
start_multiboot2:
    mov $2, %ebp
    cmp $0x36d76289, %eax
    je 1f
    xor %ebp, %ebp              /* entered by something else: main.c reports it */
1:  cli
    cld
    mov $boot_stack_top, %esp
    mov %ebp, boot_kind
    mov %ebx, boot_data
    jmp boot_width

    .section .boot.data, "aw"
    .balign 8
    .globl boot_kind, boot_data
boot_kind: .long 0
boot_data: .long 0

    .bss
    .balign 4096
    .skip 8192
    .globl boot_stack_top
boot_stack_top:

    .section .note.GNU-stack, "", @progbits
