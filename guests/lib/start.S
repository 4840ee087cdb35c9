/* SPDX-License-Identifier: MIT */
/*
 * start.S - from 32-bit protected mode without paging to guest_main in 64-bit mode.
 *
 * The first byte of the image is the entry for raw images and multiboot, which differ in EAX; PVH has its own entry, named
 * in the ELF note. EBX is the loader's information. Other CPUs start in the trampoline at the end, copied to 0x8000.
 */
    .section .start, "ax"
    .code32
    .global start_raw
start_raw:
    cld
    mov %eax, %ebp
    jmp start32
start_pvh:
    cld
    mov $0x50564820, %ebp        /* "PVH ": the mark for start_c() */
    jmp start32

    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 4, 18               /* XEN_ELFNOTE_PHYS32_ENTRY */
    .asciz "Xen"
    .long start_pvh

    .text
    .code32
start32:
    lgdt gdt_pointer
    mov $0x10, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov $bss, %edi
    mov $end, %ecx
    sub %edi, %ecx
    xor %eax, %eax
    rep stosb
    mov $boot_stack_top, %esp

    /* An identity map: PML4[0] -> PDPT[0..3] -> 4 directories of 2 MiB pages. */
    movl $(pdpt + 3), pml4
    mov $(directories + 3), %eax
    mov $pdpt, %edi
    mov $4, %ecx
1:  mov %eax, (%edi)
    add $4096, %eax
    add $8, %edi
    loop 1b
    mov $0x83, %eax              /* present, writable, 2 MiB */
    mov $directories, %edi
    mov $2048, %ecx
2:  mov %eax, (%edi)
    add $0x200000, %eax
    add $8, %edi
    loop 2b
    call enter_long
    ljmp $8, $start64

/* Enable paging and long mode. Keeps EBX and EBP. */
enter_long:
    mov $pml4, %eax
    mov %eax, %cr3
    mov %cr4, %eax
    or $0x20, %eax               /* PAE */
    mov %eax, %cr4
    mov $0xc0000080, %ecx
    rdmsr
    or $0x100, %eax              /* LME */
    wrmsr
    mov %cr0, %eax
    or $0x80000001, %eax
    mov %eax, %cr0
    ret

    .code64
start64:
    mov $boot_stack_top, %esp
    mov %ebp, %edi
    mov %ebx, %esi
    xor %ebp, %ebp
    call start_c
1:  hlt
    jmp 1b

/* --- other CPUs: real mode at 0x8000:0 ---------------------------------------- */
    .global trampoline, trampoline_end, ap_stack, ap_main
    .code16
trampoline:
    cli
    cld
    xor %ax, %ax
    mov %ax, %ds
    lgdtl (gdt_near - trampoline + 0x8000)
    mov %cr0, %eax
    or $1, %eax
    mov %eax, %cr0
    ljmpl $0x18, $ap32
    .balign 4
gdt_near:
    .short gdt_end - gdt - 1
    .long gdt
trampoline_end:

    .code32
ap32:
    mov $0x10, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov ap_stack, %esp
    call enter_long
    ljmp $8, $ap64
    .code64
ap64:
    mov ap_stack, %rsp
    xor %ebp, %ebp
    call ap_c
1:  hlt
    jmp 1b

    .data
    .balign 16
gdt:
    .quad 0
    .quad 0x00af9b000000ffff     /* 08: 64-bit code */
    .quad 0x00cf93000000ffff     /* 10: data */
    .quad 0x00cf9b000000ffff     /* 18: 32-bit code */
gdt_end:
gdt_pointer:
    .short gdt_end - gdt - 1
    .long gdt
    .balign 8
ap_stack: .quad 0
ap_main: .quad 0

    .bss
    .balign 4096
    .global pml4
pml4: .skip 4096
pdpt: .skip 4096
directories: .skip 4 * 4096
boot_stack: .skip 16384
boot_stack_top:
    .section .note.GNU-stack, "", @progbits
