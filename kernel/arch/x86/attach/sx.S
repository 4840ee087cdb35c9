/* SPDX-License-Identifier: MIT */
/*
 * sx.S - vector 30 on a core that was Linux's: an INIT that R_INIT has made a #SX (attach/enter.c), or an interrupt
 * with its vector, which a device can be made to send. Both are counted and dropped.
 *
 * No flag holds a #SX off. It may come between SYSCALL and the kernel's own stack, or behind the kernel's last use of
 * it, so it has a stack of its own and uses no GS. A second one that comes within these instructions would take the
 * first one's stack, so they are few. Only a #SX has an error code, and the processor has aligned the stack before it
 * pushed (64/vectors.h).
 */
    .text
    .globl attach_sx
attach_sx:
    test $8, %spl
    jz 3f
    push %rax
    push %rcx
    push %rdx
    xor %eax, %eax
    xor %edx, %edx
    mov apic_registers(%rip), %rcx
    jrcxz 1f
    mov %eax, 0xb0(%rcx)        /* end of interrupt */
    jmp 2f
1:
    mov $0x80b, %ecx            /* the same in x2APIC mode */
    wrmsr
2:
    pop %rdx
    pop %rcx
    pop %rax
    lock incq unexpected_interrupts(%rip)
    iretq
3:
    add $8, %rsp
    lock incq unexpected_interrupts(%rip)
    iretq

    .section .note.GNU-stack, "", @progbits
