/* SPDX-License-Identifier: MIT */
/* sigaltstack.c - a stack of a thread for its handlers. */
#include <errno.h>

#include "signals.h"

static _Thread_local stack_t alternate = { .ss_flags = SS_DISABLE };

static bool is_on_it(void)
{
    volatile char here = 0; /* the frame's address may be the stack's end */
    return !(alternate.ss_flags & SS_DISABLE) && (uintptr_t)&here - (uintptr_t)alternate.ss_sp < alternate.ss_size;
}

char *signals_alternate(void)
{
    return alternate.ss_flags & SS_DISABLE || is_on_it() ? NULL : (char *)alternate.ss_sp + alternate.ss_size;
}

int sigaltstack(const stack_t *restrict stack, stack_t *restrict before)
{
    stack_t old = alternate;
    bool on = is_on_it();
    int error = 0;
    if (stack && on)
        error = EPERM;
    else if (stack && stack->ss_flags & ~SS_DISABLE)
        error = EINVAL;
    else if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < MINSIGSTKSZ)
        error = ENOMEM;
    if (error) {
        errno = error;
        return -1;
    }
    if (stack && stack->ss_flags & SS_DISABLE)
        alternate.ss_flags = SS_DISABLE; /* the rest is ignored */
    else if (stack)
        alternate = *stack;
    if (before) {
        old.ss_flags = on ? SS_ONSTACK : old.ss_flags;
        *before = old;
    }
    return 0;
}
