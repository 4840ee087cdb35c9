/* SPDX-License-Identifier: MIT */
/* sigsend.c - signals to a thread, and to the process: signals.h. */
#include <amalgam/signal.h>
#include <errno.h>
#include <unistd.h>

#include "signals.h"

void signals_prepare(void)
{
    static bool done;
    if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        return;
    amalgam_signal(LOOK, signals_look);
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
}

/* The signal is pending: tell the thread, if it awaits it or has it open. Returns whether it is told. */
static bool tell(uint32_t number, uint32_t bit)
{
    if (signals_load(&signals_awaited[number]) & bit) {
        __atomic_add_fetch(&signals_word[number], 1, __ATOMIC_SEQ_CST);
        amalgam_wake(&signals_word[number], 1);
        return true;
    }
    if (!(signals_load(&signals_open[number]) & bit))
        return false;
    signals_prepare();
    return amalgam_signal_send(number, LOOK) == 0;
}

void signals_offer(uint32_t signals)
{
    for (; signals; signals &= signals - 1) {
        uint32_t bit = signals & -signals;
        for (uint32_t n = 0; n < THREADS_MOST && signals_load(&signals_of_process) & bit; n++)
            if (tell(n, bit))
                break;
    }
}

int pthread_kill(pthread_t t, int signal)
{
    uint32_t bit = signal_bit(signal), number = signals_load(&t->signals.number);
    if (number == ENDED)
        return ESRCH;
    if (signal == 0)
        return 0;
    if (!is_signal(signal))
        return EINVAL;
    if (signals_load(&signals_open[number]) & bit && action_ignores(signal))
        return 0;
    bool is_new = !(__atomic_fetch_or(&t->signals.pending, bit, __ATOMIC_SEQ_CST) & bit);
    if (t == thread_self())
        signals_deliver();
    else if (is_new) /* else who has set it tells the thread */
        tell(signals_load(&t->signals.number), bit);
    return 0;
}

int raise(int signal)
{
    int error = pthread_kill(thread_self(), signal);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int (*kill_other)(pid_t process, int signal);

/* A process can send signals to itself, which is its group, and end what it has started (children.c). */
int kill(pid_t process, int signal)
{
    if (signal != 0 && !is_signal(signal)) {
        errno = EINVAL;
        return -1;
    }
    if (process != 0 && process != getpid() && process != -getpid()) {
        int error = kill_other ? kill_other(process, signal) : ESRCH;
        errno = error ? error : errno;
        return error ? -1 : 0;
    }
    uint32_t bit = signal_bit(signal);
    bool here = *own_open() & bit;
    if (signal == 0 || (here && action_ignores(signal)))
        return 0;
    bool is_new = !(__atomic_fetch_or(&signals_of_process, bit, __ATOMIC_SEQ_CST) & bit);
    if (here)
        signals_deliver();
    else if (is_new)
        signals_offer(bit);
    return 0;
}

int killpg(pid_t group, int signal)
{
    if (group >= 0)
        return kill(group, signal);
    errno = EINVAL;
    return -1;
}
