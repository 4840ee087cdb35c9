/* SPDX-License-Identifier: MIT */
/* signal.c - signals and alarms by those of the kernel (amalgam/signal.h), which have the same numbers. */
#include <nanvix/sys/signal.h>
#include <nanvix/sys/thread.h>

#include "../../lib/fastclock.h"
#include "../../lib/thread.h"
#include "../../lib/upcall.h"
#include "nanvix.h"

#define SECOND 1000000000ull
#define AGAIN  1000000ull /* patience that has ended rings so often, until it is told so */
#define EARLY  50000ull   /* it rings no sooner by fastclock(), whose rate is right to one part in 8,192, */
#define RATE   4096       /* and a long one no sooner than that and such a part of it */

_Static_assert(SIGALRM == AMALGAM_SIGALRM, "one numbering");

static void (*handler[SIGNALS_NUM])(void *);
static _Thread_local uint32_t arrived[SIGNALS_NUM];
/* The handler that the thread is in: where its frame stands, NULL: in none; and errno before it. */
static _Thread_local struct {
    struct amalgam_frame **frame;
    int error;
} now;

/* nanvix_patience(). The alarm stays armed behind a wait, for the next one, as to take it back and to ask for it anew
 * costs as much as a message: it rings at most once when nobody waits. No wait here and none of the C library is ended
 * by a signal that no handler of the program has taken. Times of fastclock(). */
static _Thread_local struct {
    uint64_t until; /* the end of the wait that is going on; 0: there is none */
    uint64_t armed; /* the kernel's alarm is this one, and due then or a little later; 0: it is not this one */
    bool rung;      /* an alarm of patience's that the kernel has no more rang while handlers waited: it will come */
} patience;
/* The program's own alarm, whether the kernel has it or, during a wait, patience its place. A handler may ask for one
 * at any moment; the latest is it. */
static _Thread_local struct {
    uint64_t due;   /* 0: there is none */
    uint64_t early; /* it may ring so much sooner by fastclock() */
} own;

static struct amalgam_frame *leave(void)
{
    struct amalgam_frame *frame = *now.frame;
    now.frame = NULL;
    errno = now.error;
    return frame;
}

/* Ask the kernel for the alarm that it should have: patience's in a wait, the program's own elsewhere. The kernel has
 * none of patience's now: it was taken back, or it has come, perhaps that of an earlier wait, or just before the call
 * that waits. */
static void ring_again(void)
{
    uint64_t now = fastclock(), ns = patience.until > now ? patience.until - now : AGAIN;
    patience.armed = patience.until ? now + ns : 0;
    if (!patience.until)
        ns = own.due > now ? own.due - now : own.due != 0;
    amalgam_alarm(ns);
}

/* Take patience's alarm back. Handlers must wait, as they do in a handler: it may have rung meanwhile. */
static void disarm(void)
{
    if (!patience.armed)
        return;
    patience.rung |= !amalgam_alarm(0) && fastclock() + EARLY >= patience.armed;
    patience.armed = 0;
}

/* What comes sooner has another thread sent, or it is the program's alarm, just before arm() takes its place. */
static bool is_patience(int signum)
{
    return signum == SIGALRM && (patience.rung || (patience.armed && fastclock() + EARLY >= patience.armed));
}

static struct amalgam_frame *take(int signum, struct amalgam_frame *frame)
{
    if (is_patience(signum)) {
        thread_self()->signals.handled--; /* the C library has counted this; its waits go on */
        patience.rung = false;
        ring_again();
        return frame;
    }
    if (signum == SIGALRM && own.due && fastclock() + own.early >= own.due)
        own.due = 0;
    void (*function)(void *) = __atomic_load_n(&handler[signum], __ATOMIC_ACQUIRE);
    now.frame = &frame;
    now.error = errno;
    __atomic_fetch_add(&arrived[signum], 1, __ATOMIC_RELAXED);
    if (function)
        function(&frame);
    return leave();
}

/* Take a signal, before the first one. Others stay what the C library's handlers are for. */
static void prepare(int signum)
{
    static uint32_t prepared; /* bits */
    if (__atomic_load_n(&prepared, __ATOMIC_ACQUIRE) >> signum & 1)
        return;
    amalgam_signal(signum, take);
    __atomic_fetch_or(&prepared, 1u << signum, __ATOMIC_RELEASE);
}

int nanvix_signal_control(int signum, const struct ksigaction *action)
{
    if (!action)
        return -EAGAIN;
    if (!signal_is_valid(signum))
        return -EINVAL;
    prepare(signum);
    __atomic_store_n(&handler[signum], action->handler, __ATOMIC_RELEASE);
    return 0;
}

int nanvix_signal_alarm(int seconds)
{
    if (seconds < 0)
        return -EINVAL;
    prepare(SIGALRM);
    handlers_hold();
    disarm();
    uint64_t ns = (uint64_t)seconds * SECOND, now = fastclock(), left = own.due > now ? own.due - now : 0;
    own.due = ns ? now + ns : 0;
    own.early = EARLY + ns / RATE;
    if (patience.until)
        ring_again(); /* this one comes when the wait is over */
    else
        amalgam_alarm(ns);
    handlers_let();
    return (int)((left + SECOND - 1) / SECOND);
}

/* The wait ends at now + ns. Handlers wait, so that none computes between the look at the clock and the call: patience
 * would be due before the kernel's alarm then, and take a signal that another thread sends. The alarm of before may
 * ring meanwhile. */
static __attribute__((noinline)) void arm(uint64_t now, uint64_t ns)
{
    prepare(SIGALRM);
    handlers_hold();
    uint64_t until = now + ns, before = patience.armed, at = fastclock(), left = until > at ? until - at : 1;
    bool rang = !amalgam_alarm(left) && before;
    patience.rung |= rang && fastclock() + EARLY >= before;
    patience.armed = at + left;
    handlers_let();
}

static __attribute__((noinline)) void give_back(void)
{
    handlers_hold();
    disarm();
    ring_again();
    handlers_let();
}

void nanvix_patience(uint64_t ns)
{
    if (!ns) {
        patience.until = 0;
        __atomic_signal_fence(__ATOMIC_SEQ_CST); /* an alarm that a handler asks for from here on is the kernel's */
        if (own.due)
            give_back();
        return;
    }
    uint64_t now = fastclock(), armed;
    patience.until = now + ns;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* what rings from here on rings again */
    armed = patience.armed;
    if (armed <= now || armed > now + ns)
        arm(now, ns);
}

int nanvix_signal_send(int signum, int tid)
{
    if (!signal_is_valid(signum))
        return -EINVAL;
    prepare(signum);
    return (int)nanvix_result(nanvix_thread_signal(tid, (uint32_t)signum));
}

int nanvix_signal_wait(int signum)
{
    if (!signal_is_valid(signum))
        return -EINVAL;
    prepare(signum);
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
