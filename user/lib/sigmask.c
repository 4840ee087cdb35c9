/* SPDX-License-Identifier: MIT */
/* sigmask.c - a thread's mask, and jumps that take it with them (setjmp.h). */
#include <errno.h>
#include <setjmp.h>

#include "signals.h"

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    uint32_t mask = ~*own_open() & ALL, given = set ? (uint32_t)*set & ALL : 0;
    if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
        return EINVAL;
    if (before)
        *before = mask;
    if (!set)
        return 0;
    if (how == SIG_BLOCK)
        mask |= given;
    else
        mask = how == SIG_UNBLOCK ? mask & ~given : given;
    signals_set_open((~mask & ALL) | ALWAYS_OPEN);
    return 0;
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    int error = pthread_sigmask(how, set, before);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int sigpending(sigset_t *set)
{
    *set = signals_load(&thread_self()->signals.pending) | signals_load(&signals_of_process);
    return 0;
}

void amalgam_save_mask(sigjmp_buf to, int also_mask)
{
    to->has_mask = also_mask;
    if (also_mask)
        pthread_sigmask(SIG_SETMASK, NULL, &to->mask);
}

void siglongjmp(sigjmp_buf to, int value)
{
    if (to->has_mask)
        pthread_sigmask(SIG_SETMASK, &to->mask, NULL);
    longjmp(to->registers, value);
}
