/* SPDX-License-Identifier: MIT */
/* signal.c - signals and alarms by those of the kernel (amalgam/signal.h), which have the same numbers. */
#include <nanvix/sys/signal.h>
#include <nanvix/sys/thread.h>

#include "../../lib/upcall.h"
#include "nanvix.h"

#define SECOND 1000000000ull

_Static_assert(SIGALRM == AMALGAM_SIGALRM, "one numbering");

static void (*handler[SIGNALS_NUM])(void *);
static _Thread_local uint32_t arrived[SIGNALS_NUM];
/* The handler that the thread is in: where its frame stands, NULL: in none; and errno before it. */
static _Thread_local struct {
    struct amalgam_frame **frame;
    int error;
} now;

/* nanvix_patience(): how long; 0: none. And when the program's own alarm is due; 0: it has none. */
static _Thread_local struct {
    uint64_t ns, due;
    bool ends;
} patience;

static struct amalgam_frame *leave(void)
{
    struct amalgam_frame *frame = *now.frame;
    now.frame = NULL;
    errno = now.error;
    return frame;
}

static struct amalgam_frame *take(int signum, struct amalgam_frame *frame)
{
    if (signum == SIGALRM && patience.ns) {
        if (!patience.ends)
            amalgam_alarm(patience.ns);
        return frame;
    }
    void (*function)(void *) = __atomic_load_n(&handler[signum], __ATOMIC_ACQUIRE);
    now.frame = &frame;
    now.error = errno;
    __atomic_fetch_add(&arrived[signum], 1, __ATOMIC_RELAXED);
    if (function)
        function(&frame);
    return leave();
}

/* Before the first signal. */
static void prepare(void)
{
    static bool done;
    if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        return;
    for (int i = 0; i < SIGNALS_NUM; i++)
        amalgam_signal(i, take);
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
}

int nanvix_signal_control(int signum, const struct ksigaction *action)
{
    if (!action)
        return -EAGAIN;
    if (!signal_is_valid(signum))
        return -EINVAL;
    prepare();
    __atomic_store_n(&handler[signum], action->handler, __ATOMIC_RELEASE);
    return 0;
}

int nanvix_signal_alarm(int seconds)
{
    if (seconds < 0)
        return -EINVAL;
    prepare();
    return (int)((uint64_t)(amalgam_alarm((uint64_t)seconds * SECOND) + (int64_t)SECOND - 1) / SECOND);
}

/* An alarm may come at any moment. One that comes after the alarm was set to 0 comes before that call has returned. */
void nanvix_patience(uint64_t ns)
{
    prepare();
    if (ns) {
        patience.ends = false;
        patience.ns = ns;
        int64_t left = amalgam_alarm(ns);
        patience.due = left > 0 ? amalgam_clock() + (uint64_t)left : 0;
        return;
    }
    patience.ends = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    amalgam_alarm(0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    patience.ns = 0;
    if (patience.due) {
        uint64_t now = amalgam_clock();
        amalgam_alarm(patience.due > now ? patience.due - now : 1);
    }
}

int nanvix_signal_send(int signum, int tid)
{
    if (!signal_is_valid(signum))
        return -EINVAL;
    prepare();
    return (int)nanvix_result(nanvix_thread_signal(tid, (uint32_t)signum));
}

int nanvix_signal_wait(int signum)
{
    if (!signal_is_valid(signum))
        return -EINVAL;
    prepare();
    uint32_t before = __atomic_load_n(&arrived[signum], __ATOMIC_RELAXED);
    while (__atomic_load_n(&arrived[signum], __ATOMIC_RELAXED) == before)
        amalgam_wait(&arrived[signum], before, AMALGAM_NEVER);
    return 0;
}

int nanvix_signal_return(void)
{
    if (!now.frame)
        return -EINVAL;
    signal_continue(leave());
}

int ksigctl(int signum, struct ksigaction *action) { return nanvix_answer(nanvix_signal_control(signum, action)); }
int kalarm(int seconds) { return nanvix_answer(nanvix_signal_alarm(seconds)); }
int ksigsend(int signum, int tid) { return nanvix_answer(nanvix_signal_send(signum, tid)); }
int ksigwait(int signum) { return nanvix_answer(nanvix_signal_wait(signum)); }
int ksigreturn(void) { return nanvix_answer(nanvix_signal_return()); }
