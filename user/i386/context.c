/* SPDX-License-Identifier: MIT */
/* context.c (i386) - context.h: the registers that a function keeps (System V ABI for i386, 2.2.3), and the control
 * word of x87. Arguments are on the stack. */
#include "../lib/context.h"

#include <stddef.h>
#include <string.h>

_Static_assert(offsetof(ucontext_t, uc_mcontext) == 0 && offsetof(mcontext_t, eip) == 20 &&
                   offsetof(mcontext_t, x87) == 24,
               "the offsets below");

/* Save what the caller has when this function has returned, which has its arguments on the stack. */
#define SAVE                                                                                                           \
    "mov 4(%esp), %edx; mov %ebx, (%edx); mov %esi, 4(%edx); mov %edi, 8(%edx); mov %ebp, 12(%edx)\n\t"                \
    "lea 4(%esp), %eax; mov %eax, 16(%edx); mov (%esp), %eax; mov %eax, 20(%edx); fnstcw 24(%edx)\n\t"

__attribute__((naked)) int getcontext(ucontext_t *to __attribute__((unused))) { __asm__(SAVE "jmp context_got"); }

__attribute__((naked)) int swapcontext(ucontext_t *restrict to __attribute__((unused)),
                                       const ucontext_t *restrict from __attribute__((unused)))
{
    __asm__(SAVE "jmp context_swap");
}

__attribute__((naked)) void context_load(const mcontext_t *from __attribute__((unused)))
{
    __asm__("mov 4(%esp), %edx; fldcw 24(%edx)\n\t"
            "mov (%edx), %ebx; mov 4(%edx), %esi; mov 8(%edx), %edi; mov 12(%edx), %ebp; mov 16(%edx), %esp\n\t"
            "xor %eax, %eax; jmp *20(%edx)");
}

/* Where a context's function returns to: EBX has what follows it. */
__attribute__((naked)) static void finish(void)
{
    __asm__("and $-16, %esp; sub $12, %esp; push %ebx; call context_finish; ud2");
}

void context_begin(mcontext_t *context, char *end, void (*function)(void), const uintptr_t *arguments, unsigned n,
                   ucontext_t *link)
{
    uintptr_t *stack = (uintptr_t *)(((uintptr_t)end - n * sizeof(uintptr_t)) & -16ul);
    memcpy(stack, arguments, n * sizeof(uintptr_t));
    *--stack = (uintptr_t)finish;
    context->esp = (uintptr_t)stack;
    context->eip = (uintptr_t)function;
    context->ebx = (uintptr_t)link;
    context->ebp = 0; /* ends a walk up the stack */
}

__attribute__((naked)) void context_call(char *end __attribute__((unused)),
                                         void (*function)(void *) __attribute__((unused)),
                                         void *arg __attribute__((unused)))
{
    __asm__("push %ebp; mov %esp, %ebp; mov 8(%ebp), %esp; and $-16, %esp; sub $12, %esp; push 16(%ebp)\n\t"
            "call *12(%ebp); leave; ret");
}
