/* SPDX-License-Identifier: MIT */
/* time.c - rounds with timers and signals. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

#define NAP_NS 1000000
#define PINGS  20

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* A timer must not fire early, the clock must not go back, and two clocks must advance alike: a jump of one of them by
 * more than a millisecond is a difference. */
int round_timer(uint64_t n)
{
    struct timespec nap = { .tv_nsec = NAP_NS + (long)(n % 7) * 1000 };
    int64_t before = now_ns(CLOCK_MONOTONIC), raw = now_ns(CLOCK_MONOTONIC_RAW);
    int64_t start = now_ns(CLOCK_MONOTONIC), last = start, now;
    while (nanosleep(&nap, &nap) && errno == EINTR)
        ;
    for (int i = 0; i < 200; i++, last = now)
        if ((now = now_ns(CLOCK_MONOTONIC)) < last)
            return wrong("the clock went back by %lld ns", (long long)(last - now));
    if (last - start < NAP_NS)
        return wrong("a timer fired %lld ns early", (long long)(NAP_NS - (last - start)));
    int64_t lower = now_ns(CLOCK_MONOTONIC) - start; /* `raw` was read between `before` and `start` */
    int64_t raw_passed = now_ns(CLOCK_MONOTONIC_RAW) - raw, upper = now_ns(CLOCK_MONOTONIC) - before;
    if (raw_passed < lower - lower / 100 - 1000000 || raw_passed > upper + upper / 100 + 1000000)
        return wrong("the clock passed %lld to %lld ns, the raw one %lld", (long long)lower, (long long)upper,
                     (long long)raw_passed);
    return 0;
}

/* Queued signals with values go to a child and back. None may be lost or come twice. */
int round_signal(uint64_t n)
{
    sigset_t set;
    siginfo_t info;
    struct timespec patience = { .tv_sec = 30 };
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    pid_t us = getpid(), pid = fork();
    if (pid < 0)
        return wrong("fork: %s", strerror(errno));
    if (!pid) {
        for (int i = 0; i < PINGS; i++) {
            if (sigtimedwait(&set, &info, &patience) < 0)
                _exit(104);
            info.si_value.sival_int++;
            sigqueue(us, SIGRTMIN, info.si_value);
        }
        _exit(0);
    }
    int bad = 0, status;
    for (int i = 0; i < PINGS && !bad; i++) {
        union sigval value = { .sival_int = (int)(n & 0xffff) * 100 + 2 * i };
        sigqueue(pid, SIGRTMIN, value);
        if (sigtimedwait(&set, &info, &patience) < 0 || info.si_value.sival_int != value.sival_int + 1)
            bad = wrong("signal %d of %d came back as %d", i, PINGS, info.si_value.sival_int);
    }
    if (waitpid(pid, &status, 0) != pid || (!bad && status))
        return wrong("the other end of signals ended with %x", status);
    return bad;
}
