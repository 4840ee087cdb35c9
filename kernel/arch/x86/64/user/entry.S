/* SPDX-License-Identifier: MIT */
/*
 * entry.S - from the kernel to a process's thread, and back; and, in place of traps.S, from a vector to C.
 *
 * While a thread is outside, RSP0 of its TSS points behind its struct trap_frame, so the processor and the stubs here
 * push its registers into it. RSP2, which the processor does not read with two rings in use, holds the kernel's stack,
 * on which user_enter() then returns. RSP1 holds the program's stack pointer for a moment. GS is the kernel's inside
 * and the program's outside.
 *
 * A call goes first to user_fast(), as exits go to amdv_fast(). A call that it handles returns at once. The registers
 * that C preserves are still in place then. They are saved nevertheless: user_fast() may let other threads run for long,
 * and a debugger needs the complete record of a thread that waits. Those threads may enter here, too, so each sets RSP2
 * again when it has the core back.
 *
 * Interrupts stay off until user_enter() has returned. NMI, double fault and machine check may come where GS is not the
 * kernel's: they read the right value from the foot of their own stack. Beneath a Linux an NMI returns (attach/trap.c).
 */
#define RSP0 132
#define RSP1 140
#define RSP2 148
#define USER_SS 0x33
#define USER_CS 0x3b
#define CALL_VECTOR 33
#define MSR_GS_BASE 0xc0000101
#define FLAGS_START 0x202
#define FLAGS_VM 0x20000
/* Clear ZF if the frame behind the two words of a vector's stub is of virtual 8086 mode. */
#define IN_VIRTUAL_8086 testb $FLAGS_VM >> 16, 34(%rsp)

#include "../gprs.h"
#include "../vectors.h"
    .text
    .globl user_syscall
user_syscall:
    swapgs
    mov %rsp, %gs:RSP1
    mov %gs:RSP0, %rsp
    push $USER_SS
    push %gs:RSP1
    push %r11
    push $USER_CS
    push %rcx
    push $0
    push $CALL_VECTOR
    PUSH_CALLERS
    PUSH_SAVED
    mov %rsp, %rdi              /* struct user */
    mov %gs:RSP2, %rsp
    call *user_fast(%rip)
    mov %rsp, %gs:RSP2
    test %al, %al
    jz user_return_to_kernel
    mov %gs:RSP0, %rsp
    sub $16 * 8, %rsp
    POP_CALLERS
    jmp user_sysret
user_save:
    PUSH_CALLERS
    PUSH_SAVED
    mov %gs:RSP2, %rsp
    push $2                     /* the program's AC would disable SMAP, its DF reverse string instructions */
    popf
user_return_to_kernel:
    POP_SAVED
    ret

/* user_enter(frame): returns when the thread comes back. */
    .globl user_enter
user_enter:
    PUSH_SAVED
    mov %rsp, %gs:RSP2
    mov %rdi, %rsp
    POP_SAVED
    POP_CALLERS
    cmpb $CALL_VECTOR, (%rsp)
    jne 1f
user_sysret:
    mov 16(%rsp), %rcx
    mov 32(%rsp), %r11
    mov 40(%rsp), %rsp
    swapgs
    sysretq
1:
    add $16, %rsp
    swapgs
    iretq

/* A program that QEMU has let into virtual 8086 mode (docs/boards.md): its CS may look like the kernel's, and its flags
 * open all ports. Its frame becomes that of a program; it executes nothing there, where no page is its own. */
leave_virtual_8086:             /* a word further from the frame */
    movl $USER_CS, 32(%rsp)
    movl $FLAGS_START, 40(%rsp)
    movl $USER_SS, 56(%rsp)
    ret

/* All vectors, from a program or from the kernel itself. */
    VECTOR_RANGE vector_, 0, 1, user_or_kernel
    VECTOR_RANGE vector_, 2, 2, trap_entry_ist
    VECTOR_RANGE vector_, 3, 7, user_or_kernel
    VECTOR_RANGE vector_, 8, 8, trap_entry_ist
    VECTOR_RANGE vector_, 9, 17, user_or_kernel
    VECTOR_RANGE vector_, 18, 18, trap_entry_ist
    VECTOR_RANGE vector_, 19, 31, user_or_kernel
from_virtual_8086:
    call leave_virtual_8086
user_or_kernel:
    IN_VIRTUAL_8086
    jnz from_virtual_8086
    testb $3, 24(%rsp)
    jz trap_entry
    swapgs
    jmp user_save
    VECTOR_RANGE vector_, 240, 255, user_or_kernel
vector_unexpected:
    push $0
    push $32
    jmp user_or_kernel

/* On an IST stack, whose page has this core's record in its first word, or 0 if no process has run. What was
 * interrupted gets back the GS that it had. */
trap_entry_ist:
    IN_VIRTUAL_8086
    jz 1f
    call leave_virtual_8086
1:
    PUSH_CALLERS
    PUSH_SAVED
    push $2
    popf
    mov $MSR_GS_BASE, %ecx
    rdmsr
    mov %eax, %ebp
    mov %edx, %r12d
    mov %rsp, %rdx
    and $-4096, %rdx
    mov (%rdx), %rdx
    mov %edx, %eax
    test %rdx, %rdx
    jz 1f
    shr $32, %rdx
    wrmsr
1:
    mov $MSR_GS_BASE, %ebx
    jmp 2f

/* From the kernel; its GS is right. */
trap_entry:
    PUSH_CALLERS
    PUSH_SAVED
    cld
    xor %ebx, %ebx
2:
    mov %rsp, %rdi
    call trap_dispatch
    .globl trap_return
trap_return:                    /* backtrace.c: a struct trap_frame is above this return address */
    mov %ebx, %ecx
    jrcxz 1f
    mov %ebp, %eax
    mov %r12d, %edx
    wrmsr
1:
    POP_SAVED
    POP_CALLERS
    add $16, %rsp
    iretq

    VECTOR_TABLE

    .bss
    .balign 8
    .globl user_fast
user_fast:
    .skip 8

    .section .note.GNU-stack, "", @progbits
