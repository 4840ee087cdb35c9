/* SPDX-License-Identifier: MIT */
/*
 * entry.S - from a boot loader's 32-bit protected mode (PVH: start_info in ebx;
 * multiboot2: magic in eax, information in ebx) to long mode and C.
 *
 * The boot tables map the first 4 GiB one to one, as we are linked.  paging.c replaces
 * them.  The other cores come through trampoline.S and join at boot_long_mode.
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
    xor %ebp, %ebp              /* entered by something else: boot.c says so */
1:  cli
    cld
    mov %ebx, %esi
    mov $boot_stack_top, %esp

    /* Two levels for 4 GiB in 2 MiB pages, W=1 and executable until paging.c is done. The upper halves are 0. */
    mov $boot_pd, %edi
    mov $0x83, %eax
    mov $2048, %ecx
2:  stosl
    add $0x200000, %eax
    add $4, %edi
    loop 2b
    mov $boot_pdpt, %edi
    mov $boot_pd + 3, %eax
    mov $4, %cl
3:  stosl
    add $0x1000, %eax
    add $4, %edi
    loop 3b
    movl $boot_pdpt + 3, boot_pml4
    movl $boot_pml4 + 3, boot_pml5

    /* Five levels where the processor has them: nested paging then has five, too. */
    xor %eax, %eax
    cpuid
    cmp $7, %eax
    jb 4f
    mov $7, %eax
    xor %ecx, %ecx
    cpuid
    test $0x10000, %ecx
    jz 4f
    orl $0x1000, boot_cr4       /* LA57 */
    movl $boot_pml5, boot_cr3
4:  mov %ebp, boot_kind
    mov %esi, boot_data

    .globl boot_long_mode
boot_long_mode:                 /* every core: paging off, flat 32-bit segments, tables in boot_cr3 */
    mov boot_cr4, %eax
    mov %eax, %cr4
    mov boot_cr3, %eax
    mov %eax, %cr3
    mov $0xc0000080, %ecx       /* EFER: LME, NXE */
    rdmsr
    or $0x900, %eax
    wrmsr
    mov $0x80010033, %eax       /* PG WP NE ET MP PE */
    mov %eax, %cr0
    lgdt boot_gdtr
    ljmp $8, $boot_64

    .code64
boot_64:
    mov $0x10, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    xor %eax, %eax
    mov %eax, %fs
    mov %eax, %gs
    mov ap_stack(%rip), %rax
    test %rax, %rax
    jnz 1f
    mov $boot_stack_top, %esp
    call arch_main
1:  mov ap_cr3(%rip), %rcx       /* the final tables: only they know the stack */
    mov %rcx, %cr3
    mov %rax, %rsp
    call smp_ap_main
    ud2

    .section .boot.data, "aw"
    .balign 8
boot_gdt:
    .quad 0
    .quad 0x00af9b000000ffff    /* 0x08 64-bit code */
    .quad 0x00cf93000000ffff    /* 0x10 data */
    .quad 0x00cf9b000000ffff    /* 0x18 32-bit code */
boot_gdt_end:
    .globl boot_gdtr
boot_gdtr:
    .word boot_gdt_end - boot_gdt - 1
    .long boot_gdt
    .globl boot_kind, boot_data, boot_cr3, boot_cr4
boot_kind: .long 0
boot_data: .long 0
boot_cr3:  .long boot_pml4
boot_cr4:  .long 0x20           /* PAE */
    .balign 8
    .globl ap_stack, ap_cr3
ap_stack:  .quad 0              /* smp.c: the stack of the core that is being started, the kernel's tables */
ap_cr3:    .quad 0

    .bss
    .balign 4096
boot_pml5: .skip 4096
boot_pml4: .skip 4096
boot_pdpt: .skip 4096
boot_pd:   .skip 4 * 4096
    .skip 8192
    .globl boot_stack_top
boot_stack_top:

    .section .note.GNU-stack, "", @progbits
