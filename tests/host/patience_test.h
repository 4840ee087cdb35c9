/* SPDX-License-Identifier: MIT */
/* patience_test.h - user/nanvix/lib/signal.c on a kernel and a clock that are the test's. A thread has one alarm of the
 * kernel's, which patience and the program share. */
#ifndef AMALGAM_TESTS_PATIENCE_TEST_H
#define AMALGAM_TESTS_PATIENCE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <amalgam/clusters.h>
#include <nanvix/sys/signal.h>
#include <nanvix/sys/thread.h>

#include "../../user/lib/upcall.h"

/* What signal.c needs of user/lib/thread.h, whose thread pointer is the host's here. */
#define AMALGAM_USER_THREAD_H
static struct amalgam_thread {
    struct {
        uint32_t handled;
    } signals;
} thread;
static struct amalgam_thread *thread_self(void) { return &thread; }
static void handlers_hold(void);
static void handlers_let(void);

#define amalgam_clock              the_clock
#define amalgam_alarm              the_alarm
#define amalgam_signal(signum, by) (taken |= 1u << (signum), (void)(by))

static uint32_t taken; /* bits: signals whose handler is the library's */
static uint64_t the_clock(void);
static int64_t the_alarm(uint64_t ns);

#include "../../user/nanvix/lib/signal.c"

#define MS 1000000ull

static void pass(uint64_t ns);
static uint64_t clock_ns, due;              /* of the kernel's alarm; 0: it is not armed */
static uint64_t before_alarm, behind_alarm; /* how long the next call of alarm takes, before it and behind it */
static unsigned came;                       /* to the program */

/* A handler that comes between two steps and asks for an alarm. Steps are calls of the clock and of the kernel, and
 * what holds handlers. */
#define OTHER SIGPGPROT
static unsigned until_handler; /* steps; 0: it does not come */
static int asks, was_left;     /* seconds: of kalarm(), and what that returned */
static uint64_t asked_at;
static uint64_t before_ask, behind_ask; /* how long it computes */
static bool only_computes;              /* it asks for nothing */
static bool held, handles, late;        /* handlers wait; one runs; an alarm has rung meanwhile */

static void step(void)
{
    if (!until_handler || held || handles || --until_handler)
        return;
    handles = true;
    take(OTHER, NULL);
    handles = false;
    if (late)
        pass(0);
}

static void ask(void *frame)
{
    (void)frame;
    pass(before_ask);
    if (only_computes)
        return;
    asked_at = clock_ns;
    was_left = kalarm(asks);
    pass(behind_ask);
}

static void handlers_hold(void)
{
    step();
    held = true;
}

static void handlers_let(void)
{
    held = false;
    if (late)
        pass(0);
    step();
}

static uint64_t the_clock(void)
{
    step();
    return clock_ns;
}
__thread int nanvix_errno;
void signal_continue(struct amalgam_frame *frame) { abort(); }
long nanvix_result(int64_t result) { return (long)result; }
int nanvix_answer(int result) { return result; }
int64_t nanvix_thread_signal(int tid, uint32_t signal) { return -1; }

/* As signal_handle(). */
static void signal_comes(void)
{
    late = held || handles;
    if (late)
        return;
    thread.signals.handled++;
    take(SIGALRM, NULL);
}

static void pass(uint64_t ns)
{
    if (late)
        signal_comes();
    for (clock_ns += ns; due && clock_ns >= due;) {
        due = 0;
        signal_comes();
    }
}

static void pass_once(uint64_t *ns)
{
    uint64_t now_ns = *ns;
    *ns = 0;
    pass(now_ns);
}

static int64_t the_alarm(uint64_t ns)
{
    step();
    pass_once(&before_alarm);
    int64_t left = due ? (int64_t)(due - clock_ns) : 0;
    due = ns ? clock_ns + ns : 0;
    pass_once(&behind_alarm);
    step();
    return left;
}

static void note(void *frame)
{
    (void)frame;
    came++;
}

static int setup(void **state)
{
    struct ksigaction action = { note }, other = { ask };
    (void)state;
    clock_ns = 1000 * MS;
    due = before_alarm = behind_alarm = 0;
    memset(&patience, 0, sizeof(patience));
    memset(&own, 0, sizeof(own));
    until_handler = 0;
    held = handles = late = only_computes = false;
    came = thread.signals.handled = 0;
    assert_int_equal(ksigctl(SIGALRM, &action), 0);
    assert_int_equal(ksigctl(OTHER, &other), 0);
    return 0;
}

static void question(uint64_t patient, uint64_t takes)
{
    nanvix_patience(patient);
    pass(takes);
    nanvix_patience(0);
}

#endif
