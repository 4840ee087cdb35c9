/* SPDX-License-Identifier: MIT */
/*
 * legacy.S - legacy_run(): from 64-bit mode to a mode without long mode, and back with the exception that it ends by.
 *
 * All memory is mapped where it is, so code goes on at the same address when paging ends. What is set here is put back:
 * descriptor tables, TR, EFER.LME, paging. In real mode the code is a copy at REAL_CODE, with the vectors at address 0.
 */
#include "refused.h"

    .text
    .code64
    .global legacy_run
legacy_run:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, saved_rsp
    sgdt saved_gdt
    sidt saved_idt
    str saved_tr
    mov %edi, wanted
    lea real_begin(%rip), %rsi
    mov $REAL_CODE, %edi
    mov $(real_end - real_begin), %ecx
    rep movsb
    mov $tss, %eax               /* its descriptor is busy since the last time, and its base is not known here */
    movw %ax, gdt + TSS32 + 2
    shr $16, %eax
    movb %al, gdt + TSS32 + 4
    movb %ah, gdt + TSS32 + 7
    movb $0x89, gdt + TSS32 + 5
    movl $stack_top, tss + 4
    movl $DATA, tss + 8
    lgdt gdt_pointer
    push $CODE32
    push $leave
    lretq

    .code32
leave:
    mov %cr0, %eax
    and $0x7fffffff, %eax
    mov %eax, %cr0
    mov $0xc0000080, %ecx
    rdmsr
    and $~0x100, %eax            /* LME */
    wrmsr
    mov $DATA, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov $stack_top, %esp
    mov $TSS32, %eax
    ltr %ax
    call fill_idt
    lidt idt_pointer
    mov wanted, %edi
    mov $0x1234, %eax            /* no number of a hypercall */
    cmp $SIXTEEN, %edi
    jb 1f
    je 2f
    cmp $REAL, %edi
    je 3f
    pushl $0                     /* GS, FS, DS, ES, SS:ESP */
    pushl $0
    pushl $0
    pushl $0
    pushl $0
    pushl $LOW_STACK
    pushl $0x20002               /* RFLAGS.VM */
    pushl $0
    pushl $TRIED
    iret
1:  ljmp $CODE32, $TRIED
2:  ljmp $CODE16, $TRIED
3:  lidt real_pointer
    ljmp $CODE16, $REAL_CODE

/* Interrupt gates for the vectors that may come: #DE, #UD, #GP. */
fill_idt:
    mov $gate0, %eax
    mov $(idt + 8 * 0), %edi
    call fill_gate
    mov $gate6, %eax
    mov $(idt + 8 * 6), %edi
    call fill_gate
    mov $gate13, %eax
    mov $(idt + 8 * 13), %edi
fill_gate:
    movw %ax, (%edi)
    movw $CODE32, 2(%edi)
    movw $0x8e00, 4(%edi)
    shr $16, %eax
    movw %ax, 6(%edi)
    ret

/* From virtual-8086 mode DS is null. */
gate0:
    movl $0, %ss:legacy_vector
    jmp 1f
gate6:
    movl $6, %ss:legacy_vector
    jmp 1f
gate13:
    movl $13, %ss:legacy_vector
    add $4, %esp                 /* the error code */
1:  popl %ss:legacy_ip

/* Back to 64-bit mode, with nothing that the mode has left but CR0.PE. */
enter_again:
    mov $DATA, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov $0xc0000080, %ecx
    rdmsr
    or $0x100, %eax
    wrmsr
    mov %cr0, %eax
    or $0x80000000, %eax
    mov %eax, %cr0
    ljmp $CODE64, $again64

    .code64
again64:
    mov saved_rsp, %rsp
    lgdt saved_gdt
    lidt saved_idt
    xor %eax, %eax
    mov %eax, %ss
    mov $DATA, %eax
    mov %eax, %ds
    mov %eax, %es
    mov saved_gdt + 2, %rdx
    movzwl saved_tr, %eax
    andb $~2, 5(%rdx, %rax)      /* not busy */
    ltr %ax
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

/* --- a copy of this is at REAL_CODE ------------------------------------------------------------ */
    .code16
real_begin:
    mov %cr0, %eax
    and $~1, %al
    mov %eax, %cr0
    ljmp $0, $(REAL_CODE + real_mode - real_begin)
real_mode:
    xor %ax, %ax
    mov %ax, %ds
    mov %ax, %ss
    mov $LOW_STACK, %esp         /* SS may still be of 32 bits */
    movl $(REAL_CODE + real_gate0 - real_begin), 4 * 0
    movl $(REAL_CODE + real_gate6 - real_begin), 4 * 6
    movl $(REAL_CODE + real_gate13 - real_begin), 4 * 13
    mov $0x1234, %ax
    ljmp $0, $TRIED
real_gate0:
    xor %ebx, %ebx
    jmp 1f
real_gate6:
    mov $6, %ebx
    jmp 1f
real_gate13:
    mov $13, %ebx
1:  xor %esi, %esi
    pop %si
    lgdtl %cs:(REAL_CODE + real_gdt - real_begin)
    mov %cr0, %eax
    or $1, %al
    mov %eax, %cr0
    ljmpl $CODE32, $from_real
    .balign 4
real_gdt:
    .short gdt_end - gdt - 1
    .long gdt
real_end:

    .code32
from_real:
    mov $DATA, %eax
    mov %eax, %ds
    mov %ebx, legacy_vector
    mov %esi, legacy_ip
    jmp enter_again

    .data
    .balign 8
gdt:
    .quad 0
    .quad 0x00af9b000000ffff     /* CODE64 */
    .quad 0x00cf93000000ffff     /* DATA */
    .quad 0x00cf9b000000ffff     /* CODE32 */
    .quad 0x008f9b000000ffff     /* CODE16, with a limit of 4 GiB */
    .quad 0x0000890000000067     /* TSS32 */
gdt_end:
gdt_pointer:
    .short gdt_end - gdt - 1
    .quad gdt
idt_pointer:
    .short 14 * 8 - 1
    .long idt
real_pointer:
    .short 0x3ff
    .long 0

    .bss
    .balign 8
    .global legacy_vector, legacy_ip
saved_rsp: .skip 8
saved_gdt: .skip 16
saved_idt: .skip 16
saved_tr: .skip 8
wanted: .skip 4
legacy_vector: .skip 4
legacy_ip: .skip 4
    .balign 8
idt: .skip 14 * 8
tss: .skip 104
stack: .skip 1024
stack_top:
    .section .note.GNU-stack, "", @progbits
