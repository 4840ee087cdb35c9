/* SPDX-License-Identifier: MIT */
/* context.h - the part of ucontext.h that each machine has of its own (user/<machine>/context.c), and what it calls. */
#ifndef AMALGAM_USER_CONTEXT_H
#define AMALGAM_USER_CONTEXT_H

#include <ucontext.h>

/* Of a machine, besides getcontext() and swapcontext(), which save the registers and go on here: */
_Noreturn void context_load(const mcontext_t *from);
/* Let the context begin at `function`, on a stack that ends at `end`, and go on with context_finish(link). */
void context_begin(mcontext_t *context, char *end, void (*function)(void), const uintptr_t *arguments, unsigned n,
                   ucontext_t *link);
/* Call a function on another stack, which ends at `end`. */
void context_call(char *end, void (*function)(void *), void *arg);

/* ucontext.c: */
int context_got(ucontext_t *to);
int context_swap(ucontext_t *to, const ucontext_t *from);
_Noreturn void context_finish(ucontext_t *link);

#endif
