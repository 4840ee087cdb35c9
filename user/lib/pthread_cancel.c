/* SPDX-License-Identifier: MIT */
/*
 * pthread_cancel.c - a thread ends another one at its next cancellation point (cancel.h).
 *
 * Who cancels sets the thread's flag and sends it the kernel's signal LOOK (signals.h). A thread that sleeps at a point
 * has said before where it goes on then (`point`), and after that has looked at its flag; so either it sees the flag,
 * or the signal finds the point, at whatever instruction it comes, and the wait ends with -ECANCELED.
 */
#include <amalgam/signal.h>
#include <pthread.h>
#include <setjmp.h>

#include "cancel.h"
#include "signals.h"

struct point {
    jmp_buf registers;
};

static _Thread_local uint32_t cancelled; /* also set by others */
static _Thread_local struct point *point;

/* Returns where another thread has a variable that the caller has at `own`. */
static uint32_t *of(pthread_t t, uint32_t *own)
{
    return (uint32_t *)((uintptr_t)own - thread_pointer(thread_self()) + thread_pointer(t));
}

static bool is_due(void)
{
    return __atomic_load_n(&cancelled, __ATOMIC_SEQ_CST) && cancel_state == PTHREAD_CANCEL_ENABLE;
}

static _Noreturn void act(void)
{
    cancel_state = PTHREAD_CANCEL_DISABLE;
    pthread_exit(PTHREAD_CANCELED);
}

static void test(void)
{
    if (is_due())
        act();
}

static void set_point(struct point *to)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&point, to, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static int64_t wait(const uint32_t *word, uint32_t value, uint64_t deadline)
{
    struct point here;
    if (setjmp(here.registers))
        return -ECANCELED;
    set_point(&here);
    int64_t result = is_due() ? -ECANCELED : amalgam_wait(word, value, deadline);
    set_point(NULL);
    return result;
}

static void *suspend(void)
{
    struct point *at = point;
    set_point(NULL);
    return at;
}

static void resume(void *at) { set_point(at); }

static void look(void)
{
    struct point *at = point;
    if (!is_due() || (!at && cancel_type != PTHREAD_CANCEL_ASYNCHRONOUS))
        return;
    set_point(NULL);
    amalgam_signal_return(RESUME);
    if (!at)
        act();
    longjmp(at->registers, 1);
}

static const struct cancel_hooks own = { test, wait, suspend, resume, look };

/* Before there is a thread that could be cancelled. */
__attribute__((constructor(101))) static void begin(void) { cancel_hooks = &own; }

int pthread_cancel(pthread_t t)
{
    if (signals_load(&t->signals.number) == ENDED)
        return ESRCH;
    signals_store(of(t, &cancelled), 1);
    uint32_t number = signals_load(&t->signals.number);
    if (t == thread_self()) {
        if (cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS)
            test();
    } else if (number < THREADS_MOST) { /* else it looks when it begins to wait */
        signals_prepare();
        amalgam_signal_send(number, LOOK);
    }
    return 0;
}
