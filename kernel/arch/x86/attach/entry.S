/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the image's head, its ways in, and the world switch with Linux.
 *
 * The module's trampoline comes in on our page tables and a stack of ours, GIF clear, rdi = struct attach_cpu; all
 * descriptor tables and segments are still Linux's. GIF stays clear as long as this CPU is in the kernel for Linux's
 * sake: NMIs and machine checks are Linux's and wait until it runs again. So are its interrupts: V_INTR_MASKING is 0,
 * and what interrupts Linux is decided by its own IF (APM vol. 2, 15.21.1).
 */
#include <api/attach.h>

#include "../64/gprs.h"

    .section .attach_header, "a"
    .globl attach_header
attach_header:
    .quad ATTACH_MAGIC
    .long ATTACH_ABI, 0
    .quad 0xffffffff80000000
    .quad file_end
    .quad image_end
    .quad attach_init_entry

    .macro OUR_SEGMENTS
    push $8
    lea 1f(%rip), %rax
    push %rax
    lretq
1:  mov $0x10, %eax
    mov %eax, %ss
    mov %eax, %ds
    mov %eax, %es
    .endm

    .section .init.text, "ax"
/* The one call at load. Tables and stack are the module's; the record is attach_init()'s matter. */
    .globl attach_init_entry
attach_init_entry:
    lgdt boot_gdtr(%rip)
    OUR_SEGMENTS
    push %rdi
    call attach_init
    pop %rdi
    jmp attach_leave

    .text
/* Attach of one CPU. */
    .globl attach_cpu_entry
attach_cpu_entry:
    lgdt ATTACH_CPU_HOST_GDTR + 6(%rdi)
    lidt ATTACH_CPU_HOST_IDTR + 6(%rdi)
    OUR_SEGMENTS
    mov ATTACH_CPU_HOST_VMCB(%rdi), %rax
    vmload %rax
    push %rdi
    call attach_begin
    mov (%rsp), %rdi

.Lrun:
    mov ATTACH_CPU_VMCB_PA(%rdi), %rax
    vmload %rax
    LOAD_GUEST_SAVED ATTACH_CPU_REGS
    LOAD_GUEST ATTACH_CPU_REGS
    vmrun %rax
    SAVE_GUEST ATTACH_CPU_REGS
    SAVE_GUEST_SAVED ATTACH_CPU_REGS
    mov ATTACH_CPU_VMCB_PA(%rdi), %rax
    vmsave %rax
    mov ATTACH_CPU_HOST_VMCB(%rdi), %rax
    vmload %rax
    call attach_exit
    mov (%rsp), %rdi
    test %al, %al
    jz .Lrun

    .globl attach_leave
attach_leave:
    jmp *ATTACH_CPU_LEAVE(%rdi)

/* A core that Linux has back and starts: what attach_cpu_entry does, but the control block is made already. */
    .globl attach_run
attach_run:
    mov ATTACH_CPU_HOST_RSP(%rdi), %rsp
    lgdt ATTACH_CPU_HOST_GDTR + 6(%rdi)
    lidt ATTACH_CPU_HOST_IDTR + 6(%rdi)
    mov ATTACH_CPU_HOST_VMCB(%rdi), %rax
    vmload %rax
    push %rdi
    jmp .Lrun

/* bool msr_try(u32 msr, u64 *value, bool write): false: #GP, see attach/trap.c */
    .globl msr_try, msr_at_risk_read, msr_at_risk_write, msr_failed
msr_try:
    mov %edi, %ecx
    mov %edx, %edi
    mov (%rsi), %eax
    mov 4(%rsi), %edx
    test %dil, %dil
    jnz msr_at_risk_write
msr_at_risk_read:
    rdmsr
    mov %eax, (%rsi)
    mov %edx, 4(%rsi)
    jmp 2f
msr_at_risk_write:
    wrmsr
2:  mov $1, %eax
    ret
msr_failed:
    xor %eax, %eax
    ret

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
