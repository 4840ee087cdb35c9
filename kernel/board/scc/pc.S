/* SPDX-License-Identifier: MIT */
/*
 * pc.S - the image's way in from a boot loader on a PC, by multiboot2, and the way of that PC's other cores into their
 * own memory; pc.c tells what is done for them there. entry.S has the header.
 *
 * Another core's start-up interrupt points to a copy of scc_pc_start below 1 MiB: real mode, a descriptor table,
 * protected mode. It says that it came and waits until there is information in its memory, as in reset.S, and until
 * core 0's kernel has measured the clocks: nobody sends it another interrupt to begin.
 */
#include "pc.h"

#define MAGIC 0x30434353        /* board/scc.h: SCC_MAGIC, */
#define INFO  0x9000            /* SCC_INFO, */
#define CORES 48                /* SCC_CORES, */
#define SHARED (INFO + 32 + 4 * 128) /* and the LUT's entry for the shared memory, with flags in its lowest bits */

    .section .boot.text, "ax"
    .globl start_multiboot2, scc_pc_enter
start_multiboot2:
    cli
    cld
    mov $boot_stack_top, %esp
    mov %eax, %esi
    call load_segments
    mov %esi, %eax
    mov %ebx, %edx
    call scc_pc

scc_core_came:
    mov $0x10, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov PC_LAPIC + 0x20, %eax   /* the local APIC's number is the core's */
    shr $24, %eax
    cmp $CORES, %eax
    jae 4f
    lock btsl %eax, scc_pc_came
    lea 1(%eax), %ebx
    shl $24, %ebx
1:  pause
    cmpl $MAGIC, INFO(%ebx)     /* written last */
    jne 1b
    cmpl %eax, INFO + 4(%ebx)
    jne 4f
    mov SHARED(%ebx), %ecx
    and $0xff000000, %ecx
2:  pause
    mov (%ecx), %eax            /* apic_per_tick, which core 0 writes when it has measured everything */
    or 4(%ecx), %eax
    jz 2b
    mov %ebx, %eax

scc_pc_enter:                   /* the image is in each core's memory at the same address, so it goes on there */
    mov %cr4, %ebx
    or $0x10, %ebx              /* pages of 4 MiB */
    mov %ebx, %cr4
    add $PC_DIRECTORY, %eax
    mov %eax, %cr3
    mov %cr0, %eax
    or $0x80000000, %eax
    mov %eax, %cr0
    jmp 3f
3:  jmp start_scc
4:  hlt                         /* the chip has no core of this number, or this is another core's memory */
    jmp 4b

    .section .init.rodata, "a"
    .globl scc_pc_start, scc_pc_start_end
    .code16
scc_pc_start:
    cli
    cld
    xor %ax, %ax
    mov %ax, %ds
    lgdtl PC_START + (2f - scc_pc_start)
    mov %cr0, %eax
    and $0x9fffffff, %eax       /* caches on: no CD, no NW */
    or $1, %al
    mov %eax, %cr0
    ljmpl $8, $scc_core_came
    .balign 8
1:  .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
2:  .word 23
    .long PC_START + (1b - scc_pc_start)
scc_pc_start_end:

    .section .note.GNU-stack, "", @progbits
