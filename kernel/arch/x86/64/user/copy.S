/* SPDX-License-Identifier: MIT */
/* copy.S - the only instruction in the kernel that touches a process's addresses; a page fault of it goes on elsewhere. */
    .text
/* user_copy(to, from, n): 0, or -EFAULT from a page fault at user_copy_insn (user/fault.c). */
    .globl user_copy, user_copy_insn, user_copy_failed
user_copy:
    mov %rdx, %rcx
    cmpb $0, user_smap(%rip)
    je 1f
    stac
1:
user_copy_insn:
    rep movsb
    xor %eax, %eax
user_copy_end:
    cmpb $0, user_smap(%rip)
    je 1f
    clac
1:
    ret
user_copy_failed:
    mov $-14, %eax              /* EFAULT */
    jmp user_copy_end

    .bss
    .globl user_smap            /* a byte: the processor has SMAP, switched on */
user_smap:
    .skip 1

    .section .note.GNU-stack, "", @progbits
