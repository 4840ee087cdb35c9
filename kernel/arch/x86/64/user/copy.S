/* SPDX-License-Identifier: MIT */
/* copy.S - the only two instructions in the kernel that access a process's addresses; after a page fault there it
 * continues at user_copy_failed and user_load_failed. */
    .text
/* user_copy(to, from, n): returns 0, or -EFAULT after a page fault at user_copy_insn (cpu/user_fault.c). */
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

/* user_load(from): returns the word of 32 bits at `from`, or -EFAULT. */
    .globl user_load, user_load_insn, user_load_failed
user_load:
    cmpb $0, user_smap(%rip)
    je 1f
    stac
1:
user_load_insn:
    mov (%rdi), %eax
user_load_end:
    cmpb $0, user_smap(%rip)
    je 1f
    clac
1:
    ret
user_load_failed:
    mov $-14, %rax              /* EFAULT */
    jmp user_load_end

    .bss
    .globl user_smap            /* a byte: the processor has SMAP, enabled */
user_smap:
    .skip 1

    .section .note.GNU-stack, "", @progbits
