/* SPDX-License-Identifier: MIT */
/*
 * long_mode.S - from 32-bit protected mode to long mode and C: for the first core from entry.S, for the others from
 * trampoline.S.
 *
 * The boot tables map the first 4 GiB one to one, where the image is linked. paging.c replaces them.
 */
    .section .boot.text, "ax"
    .code32
    .globl boot_width
boot_width:
    mov $0x80000000, %eax       /* extended CPUID functions: how many, then EDX of the first: long mode and NX */
    cpuid
    cmp $0x80000001, %eax
    jb no_long_mode
    mov $0x80000001, %eax
    cpuid
    not %edx
    test $0x20100000, %edx
    jnz no_long_mode

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
4:
    .globl boot_join
boot_join:                      /* every core: paging off, flat 32-bit segments, tables in boot_cr3 */
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

/*
 * A processor without long mode or NX cannot load EFER: say so on COM1, as it was left by firmware or loader, and stop. Without a port
 * all bits of its status read as 1.
 */
no_long_mode:
    mov $no_long_mode_text, %esi
5:  mov $0x3fd, %dx
    in (%dx), %al
    test $0x20, %al             /* line status: the transmitter takes a byte */
    jz 5b
    mov $0x3f8, %dx
    lodsb
    test %al, %al
    jz 6f
    out %al, (%dx)
    jmp 5b
6:  hlt
    jmp 6b

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
1:  mov ap_cr3(%rip), %rcx       /* the final tables, because only they map the stack */
    mov %rcx, %cr3
    mov %rax, %rsp
    call smp_ap_main
    ud2

no_long_mode_text:
    .asciz "Amalgam: this processor has no long mode (64 bits) with NX: this kernel cannot run on it\r\n"

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
    .globl boot_cr3, boot_cr4
boot_cr3:  .long boot_pml4
boot_cr4:  .long 0x20           /* PAE */
    .balign 8
    .globl ap_stack, ap_cr3
ap_stack:  .quad 0              /* smp.c: stack of the core that is being started, and the kernel's tables */
ap_cr3:    .quad 0

    .bss
    .balign 4096
boot_pml5: .skip 4096
boot_pml4: .skip 4096
boot_pdpt: .skip 4096
boot_pd:   .skip 4 * 4096

    .section .note.GNU-stack, "", @progbits
