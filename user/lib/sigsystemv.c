/* SPDX-License-Identifier: MIT */
/* sigsystemv.c - System V's functions of signals (POSIX 2008, obsolescent), by those of POSIX. */
#include <errno.h>
#include <stddef.h>

#include "signals.h"

/* Returns whether there is such a signal, with the mask before. */
static bool mask_one(int how, int signal, sigset_t *before)
{
    sigset_t set = 0;
    return sigaddset(&set, signal) == 0 && sigprocmask(how, &set, before) == 0;
}

int sighold(int signal) { return mask_one(SIG_BLOCK, signal, NULL) ? 0 : -1; }
int sigrelse(int signal) { return mask_one(SIG_UNBLOCK, signal, NULL) ? 0 : -1; }

int sigignore(int signal)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    return sigaction(signal, &ignore, NULL);
}

int sigpause(int signal)
{
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    return sigdelset(&mask, signal) ? -1 : sigsuspend(&mask);
}

_sig_func_ptr sigset(int signal, _sig_func_ptr handler)
{
    struct sigaction action = { .sa_handler = handler }, before;
    sigset_t mask;
    bool holds = handler == SIG_HOLD;
    if (sigaction(signal, holds ? NULL : &action, &before) || !mask_one(holds ? SIG_BLOCK : SIG_UNBLOCK, signal, &mask))
        return SIG_ERR;
    return sigismember(&mask, signal) ? SIG_HOLD : before.sa_handler;
}
