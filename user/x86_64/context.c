/* SPDX-License-Identifier: MIT */
/* context.c (x86-64) - context.h: the registers that a function keeps (System V ABI for AMD64, 3.2.1), and the control
 * words of SSE and x87. */
#include "../lib/context.h"

#include <stddef.h>
#include <string.h>

#define REGISTERS 6 /* arguments in registers; the others are on the stack */

_Static_assert(offsetof(ucontext_t, uc_mcontext) == 0 && offsetof(mcontext_t, rsp) == 48 &&
                   offsetof(mcontext_t, arguments) == 64 && offsetof(mcontext_t, mxcsr) == 112 &&
                   offsetof(mcontext_t, x87) == 116,
               "the offsets below");

/* Save what the caller has when this function has returned. */
#define SAVE                                                                                                           \
    "mov %rbx, (%rdi); mov %rbp, 8(%rdi); mov %r12, 16(%rdi); mov %r13, 24(%rdi); mov %r14, 32(%rdi)\n\t"              \
    "mov %r15, 40(%rdi); lea 8(%rsp), %rax; mov %rax, 48(%rdi); mov (%rsp), %rax; mov %rax, 56(%rdi)\n\t"              \
    "stmxcsr 112(%rdi); fnstcw 116(%rdi)\n\t"

__attribute__((naked)) int getcontext(ucontext_t *to __attribute__((unused))) { __asm__(SAVE "jmp context_got"); }

__attribute__((naked)) int swapcontext(ucontext_t *restrict to __attribute__((unused)),
                                       const ucontext_t *restrict from __attribute__((unused)))
{
    __asm__(SAVE "jmp context_swap");
}

__attribute__((naked)) void context_load(const mcontext_t *from __attribute__((unused)))
{
    __asm__("ldmxcsr 112(%rdi); fldcw 116(%rdi)\n\t"
            "mov (%rdi), %rbx; mov 8(%rdi), %rbp; mov 16(%rdi), %r12; mov 24(%rdi), %r13; mov 32(%rdi), %r14\n\t"
            "mov 40(%rdi), %r15; mov 48(%rdi), %rsp; mov 56(%rdi), %r11\n\t"
            "mov 72(%rdi), %rsi; mov 80(%rdi), %rdx; mov 88(%rdi), %rcx; mov 96(%rdi), %r8; mov 104(%rdi), %r9\n\t"
            "mov 64(%rdi), %rdi; xor %eax, %eax; jmp *%r11");
}

/* Where a context's function returns to: RBX has what follows it. */
__attribute__((naked)) static void finish(void) { __asm__("mov %rbx, %rdi; call context_finish; ud2"); }

void context_begin(mcontext_t *context, char *end, void (*function)(void), const uintptr_t *arguments, unsigned n,
                   ucontext_t *link)
{
    unsigned above = n > REGISTERS ? n - REGISTERS : 0;
    uint64_t *stack = (uint64_t *)(((uintptr_t)end - above * sizeof(uint64_t)) & -16ul);
    memcpy(stack, arguments + (n - above), above * sizeof(uint64_t));
    memcpy(context->arguments, arguments, (n - above) * sizeof(uint64_t));
    *--stack = (uintptr_t)finish;
    context->rsp = (uintptr_t)stack;
    context->rip = (uintptr_t)function;
    context->rbx = (uintptr_t)link;
    context->rbp = 0; /* ends a walk up the stack */
}

__attribute__((naked)) void context_call(char *end __attribute__((unused)),
                                         void (*function)(void *) __attribute__((unused)),
                                         void *arg __attribute__((unused)))
{
    __asm__("push %rbp; mov %rsp, %rbp; mov %rdi, %rsp; and $-16, %rsp; mov %rdx, %rdi; call *%rsi; leave; ret");
}
