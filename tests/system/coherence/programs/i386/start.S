# SPDX-License-Identifier: MIT
# start.S - the ROM of the i386 board of these tests, 64 KiB at 0xffff0000 and 0xf0000. Reset enters at its end, INIT/SIPI with
# vector 0xf0 at its begin. Each core comes to start_c(core) in flat 32-bit mode with a stack of its own.
.code16
.section .rom, "ax"
rom:
    jmp enter
    .org 0x100, 0xf4
enter:
    cli
    lgdtl %cs:(gdtr - rom)
    movl %cr0, %eax
    andl $0x9fffffff, %eax      # caches on
    orb $1, %al
    movl %eax, %cr0
    ljmpl $8, $(flat - rom + 0xffff0000)
.code32
flat:
    movw $16, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl 0xfee00020, %eax       # local APIC id
    shrl $24, %eax
    movl %eax, %esp
    shll $12, %esp
    addl $0x92000, %esp
    pushl %eax
    movl $start_c, %edx
    call *%edx
.align 8
gdt: .quad 0
    .quad 0x00cf9b000000ffff
    .quad 0x00cf93000000ffff
gdtr: .word 23
    .long gdt - rom + 0xffff0000
    .org 0xfff0, 0xf4
.code16
    jmp enter
    .org 0x10000, 0x90

.section .text
.code32
.globl rung_entry
rung_entry:                      # the doorbell's interrupt
    pushl %eax
    movl $0, 0xfee000b0          # EOI
    movl 0xfee00020, %eax
    shrl $24, %eax
    incl rung(, %eax, 4)
    popl %eax
    iret
.globl ignore_entry
ignore_entry:
    iret
.section .note.GNU-stack, "", @progbits
