/* SPDX-License-Identifier: MIT */
/*
 * raise.c - signal() and raise(), in place of picolibc's: one table of handlers for the whole process (C17, 7.14),
 * where picolibc 1.7.9 has one in each thread. A handler runs in the thread that raises its signal, once.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

typedef void handler(int);

static handler *handlers[NSIG]; /* SIG_DFL is NULL */

static bool is_signal(int signal) { return signal >= 0 && signal < NSIG; }

handler *signal(int signal, handler *function)
{
    bool may = is_signal(signal) && signal != SIGKILL && signal != SIGSTOP;
    if (may)
        return __atomic_exchange_n(&handlers[signal], function, __ATOMIC_ACQ_REL);
    errno = EINVAL;
    return SIG_ERR;
}

int raise(int signal)
{
    if (!is_signal(signal)) {
        errno = EINVAL;
        return -1;
    }
    handler *function = __atomic_load_n(&handlers[signal], __ATOMIC_ACQUIRE);
    if (function == SIG_IGN)
        return 0;
    if (function != SIG_DFL) /* of several threads one takes it */
        function = __atomic_exchange_n(&handlers[signal], SIG_DFL, __ATOMIC_ACQ_REL);
    if (function == SIG_DFL)
        return kill(getpid(), signal);
    function(signal);
    return 0;
}
