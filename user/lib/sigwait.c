/* SPDX-License-Identifier: MIT */
/*
 * sigwait.c - waiting for signals: until a handler has run (sigsuspend(), pause()), and without one (sigwait() and its
 * kind). A thread that waits for a handler sleeps on its own count of handlers; nobody wakes it, because the handler
 * runs on itself.
 */
#include <amalgam/calls.h>
#include <errno.h>
#include <unistd.h>

#include "cancel.h"
#include "clock.h"
#include "signals.h"

static int until_handled(uint32_t open)
{
    uint32_t *handled = &thread_self()->signals.handled, seen = *handled, before = *own_open();
    int64_t result = 0;
    cancel_test();
    signals_set_open(open);
    while (__atomic_load_n(handled, __ATOMIC_RELAXED) == seen && result != -ECANCELED)
        result = cancel_wait(handled, seen, AMALGAM_NEVER);
    signals_set_open(before);
    if (result == -ECANCELED)
        cancel_test();
    errno = EINTR;
    return -1;
}

int sigsuspend(const sigset_t *mask) { return until_handled((~(uint32_t)*mask & ALL) | ALWAYS_OPEN); }

int pause(void) { return until_handled(*own_open()); }

/* Take a pending signal of the set. Returns 0 if there is none. */
static int take(uint32_t set)
{
    uint32_t *from[] = { &thread_self()->signals.pending, &signals_of_process };
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t found = signals_load(from[i]) & set; found; found &= found - 1)
            if (__atomic_fetch_and(from[i], ~(found & -found), __ATOMIC_SEQ_CST) & found & -found)
                return __builtin_ctz(found);
    return 0;
}

/* Returns the signal, or a negative error number: -EAGAIN: the time is up, -EINTR: a handler has run. */
static int wait_for(const sigset_t *set, uint64_t deadline)
{
    uint32_t number = thread_self()->signals.number, handled = thread_self()->signals.handled;
    uint32_t *word = &signals_word[number], awaited = (uint32_t)*set & ALL & ~ALWAYS_OPEN;
    int signal;
    cancel_test();
    signals_store(&signals_awaited[number], awaited);
    for (int64_t error = 0;;) {
        uint32_t seen = signals_load(word);
        if ((signal = take(awaited)))
            break;
        if (error == -ECANCELED) {
            signal = -ECANCELED;
            break;
        }
        if (error == -AMALGAM_ETIMEDOUT || thread_self()->signals.handled != handled) {
            signal = error == -AMALGAM_ETIMEDOUT ? -EAGAIN : -EINTR;
            break;
        }
        error = cancel_wait(word, seen, deadline);
    }
    signals_store(&signals_awaited[number], 0);
    signals_offer(signals_load(&signals_of_process) & awaited); /* it may have been told of two */
    if (signal == -ECANCELED)
        cancel_test();
    return signal;
}

int sigwait(const sigset_t *restrict set, int *restrict signal)
{
    int taken;
    while ((taken = wait_for(set, AMALGAM_NEVER)) == -EINTR)
        ;
    *signal = taken;
    return 0;
}

static int with_information(int taken, siginfo_t *info)
{
    if (taken < 0) {
        errno = -taken;
        return -1;
    }
    if (info)
        *info = (siginfo_t){ .si_signo = taken, .si_code = SI_USER, .si_pid = getpid() };
    return taken;
}

int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return with_information(wait_for(set, AMALGAM_NEVER), info);
}

int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict time)
{
    uint64_t ns, now = amalgam_clock();
    if (!time)
        return sigwaitinfo(set, info);
    if (!clock_of(time, &ns)) {
        errno = EINVAL;
        return -1;
    }
    return with_information(wait_for(set, ns < AMALGAM_NEVER - now ? now + ns : AMALGAM_NEVER), info);
}
