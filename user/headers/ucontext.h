/* SPDX-License-Identifier: MIT */
/*
 * ucontext.h - contexts of POSIX 2001: threads of the program's own on one of the kernel's, which is not asked. A
 * context has the registers that a function keeps for its caller, the environment of floating point and the mask of
 * signals. It goes on in the thread that sets it, whose variables (_Thread_local) and errno it finds.
 */
#ifndef _UCONTEXT_H
#define _UCONTEXT_H

#include <signal.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* user/<machine>/context.c knows the offsets. */
typedef struct {
#if defined(__x86_64__)
    uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip, arguments[6];
    uint32_t mxcsr;
    uint16_t x87;
#elif defined(__i386__)
    uint32_t ebx, esi, edi, ebp, esp, eip;
    uint16_t x87;
#else
    uintptr_t pc, ra, sp, s[12], arguments[8];
    uint64_t fs[12];
    uint32_t fcsr;
#endif
} mcontext_t;

typedef struct ucontext {
    mcontext_t uc_mcontext; /* first */
    struct ucontext *uc_link;
    stack_t uc_stack;
    sigset_t uc_sigmask;
} ucontext_t;

int getcontext(ucontext_t *to);
int setcontext(const ucontext_t *from);
/* Set uc_stack and uc_link before. The arguments are of type int, or pointers; `n` counts them. When `function`
 * returns, the thread goes on with uc_link, or ends if that is NULL. */
void makecontext(ucontext_t *context, void (*function)(void), int n, ...);
int swapcontext(ucontext_t *__restrict to, const ucontext_t *__restrict from);

#ifdef __cplusplus
}
#endif
#endif
