/* SPDX-License-Identifier: MIT */
/* copy.S (32 bits) - the only instruction in the kernel that accesses a process's addresses; after a page fault there it
 * continues at user_copy_failed. A Pentium has no SMAP. */
    .text
/* user_copy(to, from, n): returns 0, or -EFAULT after a page fault at user_copy_insn (cpu/user_fault.c). */
    .globl user_copy, user_copy_insn, user_copy_failed
user_copy:
    push %esi
    push %edi
    mov %eax, %edi
    mov %edx, %esi              /* ecx is n */
user_copy_insn:
    rep movsb
    xor %eax, %eax
1:
    pop %edi
    pop %esi
    ret
user_copy_failed:
    mov $-14, %eax              /* EFAULT */
    jmp 1b

    .section .note.GNU-stack, "", @progbits
