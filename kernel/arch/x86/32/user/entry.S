/* SPDX-License-Identifier: MIT */
/*
 * entry.S (32 bits) - from the kernel to a process's thread, and back; and, in place of traps.S, from a vector to C.
 *
 * While a thread is outside, ESP0 of the core's TSS points behind the registers in its struct user, so the processor and
 * the stubs here push them there. ESP1, which the processor does not read with two rings in use, holds the kernel's
 * stack, on which user_enter() then returns. A program may load what it likes into its segment registers: the kernel's
 * are loaded at each entry, and the program's usual ones when it goes on.
 *
 * A call goes first to user_fast(). A call that it handles returns at once. user_fast() may let other threads run, which
 * enter here, too, so each sets ESP1 again when it has the core back.
 *
 * Interrupts stay off until user_enter() has returned. An NMI may come before the kernel's segments are loaded, and on
 * the stack that is a struct user. It never returns: it is another core's wish to stop, or the end (cpu/traps.c). So it
 * needs its segments only, and what it overwrites nobody will read.
 */
#define ESP0 108
#define ESP1 116
#define SAVED 60                /* bytes of struct user from its begin to what the processor pops */
#define CALL_VECTOR 0x80
#define SEL_DATA 0x10
#define SEL_CPU 0x18
#define SEL_USER_DATA 0x4b
#define SEL_USER_TLS 0x53
#define SEL_USER_CODE 0x43
#define FLAGS_IF 0x200
#define FLAGS_VM 0x20000
#define FLAGS_OF_VM 0xa3000     /* VM, VIF, IOPL */
#define VM_MORE 16              /* bytes of GS, FS, DS, ES, which lie above all else */

#include "../vectors.h"
    .macro KERNEL_SEGMENTS
    mov $SEL_DATA, %eax
    mov %eax, %ds
    mov %eax, %es
    mov $SEL_CPU, %eax
    mov %eax, %gs
    cld
    .endm

    .text
    .globl user_call
user_call:
    push $0
    push $CALL_VECTOR - 256
    pusha
    KERNEL_SEGMENTS
    mov %esp, %eax              /* struct user */
    mov %gs:ESP1, %esp
    call *user_fast
    mov %esp, %gs:ESP1
    test %al, %al
    jz user_return_to_kernel
    mov %gs:ESP0, %eax
    lea -SAVED(%eax), %esp
    jmp user_go
user_save:
    pusha
    KERNEL_SEGMENTS
    mov %gs:ESP1, %esp
user_return_to_kernel:
    pop %ebp
    pop %edi
    pop %esi
    pop %ebx
    ret

/* user_enter(user): returns when the thread comes back. */
    .globl user_enter
user_enter:
    push %ebx
    push %esi
    push %edi
    push %ebp
    mov %esp, %gs:ESP1
    mov %eax, %esp
user_go:
    mov $SEL_USER_DATA, %eax
    mov %eax, %ds
    mov %eax, %es
    mov $SEL_USER_TLS, %eax
    mov %eax, %gs
    popa
    add $8, %esp
    iret

/*
 * All vectors, from a program or from the kernel itself.
 */
from_virtual_8086:              /* a program that QEMU has let in (docs/boards.md): its CS may look like the kernel's */
    .irp n, 24, 20, 16, 12, 8, 4, 0
    mov \n(%esp), %eax
    mov %eax, \n + VM_MORE(%esp)
    .endr
    add $VM_MORE, %esp
    movl $SEL_USER_CODE, 12(%esp)
    andl $~FLAGS_OF_VM, 16(%esp)
    orl $FLAGS_IF, 16(%esp)     /* the frame that it went in by may have cleared it */
    movl $SEL_USER_DATA, 24(%esp)
    jmp user_save
    VECTOR_RANGE vector_, 0, 1, user_or_kernel
    VECTOR_RANGE vector_, 2, 2, nmi_entry
    VECTOR_RANGE vector_, 3, 19, user_or_kernel
user_or_kernel:
    testb $FLAGS_VM >> 16, 18(%esp)
    jnz from_virtual_8086
    testb $3, 12(%esp)
    jnz user_save
    jmp trap_entry
    VECTOR_RANGE vector_, 20, 31, user_or_kernel
    VECTOR_RANGE vector_, 240, 255, user_or_kernel
vector_unexpected:
    push $0
    push $32
    jmp user_or_kernel

nmi_entry:
    testb $FLAGS_VM >> 16, 18(%esp)
    jnz from_virtual_8086
    testb $3, 12(%esp)
    jnz user_save
    push %eax
    KERNEL_SEGMENTS
    pop %eax
trap_entry:
    TRAP_FROM_KERNEL

    VECTOR_TABLE

    .bss
    .balign 4
    .globl user_fast
user_fast:
    .skip 4

    .section .note.GNU-stack, "", @progbits
