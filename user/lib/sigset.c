/* SPDX-License-Identifier: MIT */
/* sigset.c - sets of signals. */
#include <errno.h>

#include "signals.h"

static bool must_be_signal(int signal)
{
    if (!is_signal(signal))
        errno = EINVAL;
    return is_signal(signal);
}

int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

int sigfillset(sigset_t *set)
{
    *set = ALL;
    return 0;
}

int sigaddset(sigset_t *set, int signal)
{
    if (!must_be_signal(signal))
        return -1;
    *set |= signal_bit(signal);
    return 0;
}

int sigdelset(sigset_t *set, int signal)
{
    if (!must_be_signal(signal))
        return -1;
    *set &= ~(sigset_t)signal_bit(signal);
    return 0;
}

int sigismember(const sigset_t *set, int signal) { return must_be_signal(signal) ? (int)(*set >> signal & 1) : -1; }
