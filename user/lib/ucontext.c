/* SPDX-License-Identifier: MIT */
/* ucontext.c - contexts (ucontext.h), but for the registers, which are the machine's (context.h). */
#include <pthread.h>
#include <stdarg.h>

#include "context.h"

#define MOST_ARGUMENTS 32

/* The registers are saved: getcontext() returns 0, and will again when the context is set. */
int context_got(ucontext_t *to) { return pthread_sigmask(SIG_SETMASK, NULL, &to->uc_sigmask); }

int setcontext(const ucontext_t *from)
{
    pthread_sigmask(SIG_SETMASK, &from->uc_sigmask, NULL);
    context_load(&from->uc_mcontext);
}

int context_swap(ucontext_t *to, const ucontext_t *from)
{
    context_got(to);
    return setcontext(from);
}

void makecontext(ucontext_t *context, void (*function)(void), int n, ...)
{
    uintptr_t arguments[MOST_ARGUMENTS];
    unsigned count = n < 0 ? 0 : n > MOST_ARGUMENTS ? MOST_ARGUMENTS : (unsigned)n;
    va_list list;
    va_start(list, n);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = va_arg(list, uintptr_t);
    va_end(list);
    char *end = (char *)context->uc_stack.ss_sp + context->uc_stack.ss_size;
    context_begin(&context->uc_mcontext, end, function, arguments, count, context->uc_link);
}

void context_finish(ucontext_t *link)
{
    if (link)
        setcontext(link);
    pthread_exit(NULL);
}
