/* SPDX-License-Identifier: MIT */
/*
 * sigaction.c - the process's table of actions. While a thread has its lock its handlers wait (thread.h), so that none
 * waits for the thread that it has interrupted.
 */
#include <amalgam/signal.h>
#include <errno.h>

#include "lock.h"
#include "signals.h"

static uint32_t table_lock;
static struct sigaction table[NSIG];

struct sigaction action_take(int signal)
{
    lock_take(&table_lock);
    struct sigaction action = table[signal];
    if (action.sa_flags & SA_RESETHAND && action.sa_handler != SIG_IGN)
        table[signal] = (struct sigaction){ .sa_handler = SIG_DFL };
    lock_drop(&table_lock);
    return action;
}

bool action_ignores(int signal)
{
    _sig_func_ptr handler = __atomic_load_n(&table[signal].sa_handler, __ATOMIC_ACQUIRE);
    /* POSIX, <signal.h>, default actions. */
    bool by_default = signal == SIGCHLD || signal == SIGURG || signal == SIGCONT || signal == SIGWINCH;
    return handler == SIG_IGN || (handler == SIG_DFL && by_default);
}

void signal_arrives_at(int signal) { amalgam_signal(signal, signals_arrive); }

/* Change the action from `old` to `new` in a row of the table, or its flags only. */
static void change(int signal, const struct sigaction *new, int flags_off, int flags_on, struct sigaction *old)
{
    struct sigaction *row = &table[signal];
    handlers_hold();
    lock_take(&table_lock);
    if (old)
        *old = *row;
    if (new)
        *row = *new;
    row->sa_flags = (row->sa_flags & ~flags_off) | flags_on;
    lock_drop(&table_lock);
    if (action_ignores(signal)) { /* what is pending is discarded */
        __atomic_fetch_and(&signals_of_process, ~signal_bit(signal), __ATOMIC_SEQ_CST);
        __atomic_fetch_and(&thread_self()->signals.pending, ~signal_bit(signal), __ATOMIC_SEQ_CST);
    }
    handlers_let();
}

static bool may_change(int signal)
{
    bool may = is_signal(signal) && signal != SIGKILL && signal != SIGSTOP;
    if (!may)
        errno = EINVAL;
    return may;
}

int sigaction(int signal, const struct sigaction *restrict action, struct sigaction *restrict before)
{
    if (action ? !may_change(signal) : !is_signal(signal)) {
        errno = EINVAL;
        return -1;
    }
    if (action)
        signal_arrives_at(signal);
    change(signal, action, 0, 0, before);
    return 0;
}

/* As sigaction() with SA_RESTART: the handler stays, and its signal is blocked while it runs. */
_sig_func_ptr signal(int signal, _sig_func_ptr handler)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, before;
    return handler == SIG_ERR || sigaction(signal, &action, &before) ? (errno = EINVAL, SIG_ERR) : before.sa_handler;
}

int siginterrupt(int signal, int interrupts)
{
    if (!may_change(signal))
        return -1;
    change(signal, NULL, interrupts ? SA_RESTART : 0, interrupts ? 0 : SA_RESTART, NULL);
    return 0;
}
