/* SPDX-License-Identifier: MIT */
/*
 * attach_entry.S - the image's head, its ways in, and the world switch with Linux.
 *
 * The module's trampoline comes in on our page tables and a stack of ours, GIF clear, rdi = struct attach_cpu; all
 * descriptor tables and segments are still Linux's. GIF stays clear as long as this CPU is in the kernel for Linux's
 * sake: NMIs and machine checks are Linux's and wait until it runs again. So are its interrupts: V_INTR_MASKING is 0,
 * and what interrupts Linux is decided by its own IF (APM vol. 2, 15.21.1).
 */
#include <api/attach.h>

#define REGS(n)   ((n) * 8)
#define VMCB_PA   128
#define HOST_VMCB 136
#define PAGE      144

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
    call attach_begin
    mov %rax, %rdi

    .globl attach_run
attach_run:
    push %rdi
.Lrun:
    mov VMCB_PA(%rdi), %rax
    vmload %rax
    mov REGS(1)(%rdi), %rcx
    mov REGS(2)(%rdi), %rdx
    mov REGS(3)(%rdi), %rbx
    mov REGS(5)(%rdi), %rbp
    mov REGS(6)(%rdi), %rsi
    mov REGS(8)(%rdi), %r8
    mov REGS(9)(%rdi), %r9
    mov REGS(10)(%rdi), %r10
    mov REGS(11)(%rdi), %r11
    mov REGS(12)(%rdi), %r12
    mov REGS(13)(%rdi), %r13
    mov REGS(14)(%rdi), %r14
    mov REGS(15)(%rdi), %r15
    mov REGS(7)(%rdi), %rdi
    vmrun %rax
    mov (%rsp), %rax
    mov %rcx, REGS(1)(%rax)
    mov %rdx, REGS(2)(%rax)
    mov %rbx, REGS(3)(%rax)
    mov %rbp, REGS(5)(%rax)
    mov %rsi, REGS(6)(%rax)
    mov %rdi, REGS(7)(%rax)
    mov %r8, REGS(8)(%rax)
    mov %r9, REGS(9)(%rax)
    mov %r10, REGS(10)(%rax)
    mov %r11, REGS(11)(%rax)
    mov %r12, REGS(12)(%rax)
    mov %r13, REGS(13)(%rax)
    mov %r14, REGS(14)(%rax)
    mov %r15, REGS(15)(%rax)
    mov %rax, %rdi
    mov VMCB_PA(%rdi), %rax
    vmsave %rax
    mov HOST_VMCB(%rdi), %rax
    vmload %rax
    call attach_exit
    mov (%rsp), %rdi
    test %al, %al
    jz .Lrun
    mov PAGE(%rdi), %rdi

    .globl attach_leave
attach_leave:
    jmp *ATTACH_CPU_LEAVE(%rdi)

/* bool msr_try(u32 msr, u64 *value, bool write): false: #GP, see attach_trap.c */
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
