/* SPDX-License-Identifier: MIT */
/*
 * reset.S - the start-up code: 64 KiB of ROM below 4 GiB, mapped also below 1 MiB. Core 0 begins at the reset vector,
 * the others at offset 0, to which their start-up IPI (vector 0xf0) points. As in MetalSVM's framework (paper, IV):
 * real mode, a minimal descriptor table, protected mode, the kernel at address 0x100000.
 *
 * A core of the chip sees its memory through its LUT from reset on. An emulated core has none, so the host has prepared
 * the LUT as a page directory in the core's memory: 16 MiB from 16 MiB * (number + 1) on.
 *
 * A kernel clears the information's first word when it has read it. So a core that is reset later finds none; it says
 * so in that word and waits until the host has loaded its memory again.
 */
#define INFO      0x9000
#define MAGIC     0x30434353    /* board/scc.h */
#define WAITS     0x57434353
#define DIRECTORY 0x8000
#define KERNEL    0x100000

    .code16
    .section .text
base:
    jmp reset
    .org 0x100, 0xf4
reset:
    cli
    cld
    lgdtl %cs:(gdtr - base)
    mov %cr0, %eax
    and $0x9fffffff, %eax       /* caches on: no CD, no NW */
    or $1, %al
    mov %eax, %cr0
    ljmpl $8, $(protected - base + 0xffff0000)

    .code32
protected:
    mov $16, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov 0xfee00020, %eax        /* the local APIC's number is the core's */
    shr $24, %eax
    lea 1(%eax), %ebx
    shl $24, %ebx
    cmpl $MAGIC, INFO(%ebx)
    je 4f
    movl $WAITS, INFO(%ebx)
3:  pause
    cmpl $MAGIC, INFO(%ebx)     /* the host writes it last */
    jne 3b
4:  cmpl %eax, INFO + 4(%ebx)
    jne 1f
    mov %cr4, %eax
    or $0x10, %eax              /* pages of 4 MiB */
    mov %eax, %cr4
    lea DIRECTORY(%ebx), %eax
    mov %eax, %cr3
    mov %cr0, %eax
    or $0x80000000, %eax
    mov %eax, %cr0
    jmp 2f
2:  mov $INFO, %ebx
    mov $KERNEL, %eax
    jmp *%eax
1:  hlt                         /* the host has put another core's information here */
    jmp 1b

    .balign 8
gdt:
    .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
gdtr:
    .word gdtr - gdt - 1
    .long gdt - base + 0xffff0000

    .org 0xfff0, 0xf4
    .code16
    jmp reset
    .org 0x10000, 0xf4
