/* SPDX-License-Identifier: MIT */
    .text
/* bool msr_try(u32 msr, u64 *value, bool write): returns false after a #GP, see attach/trap.c */
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

    .section .note.GNU-stack, "", @progbits
