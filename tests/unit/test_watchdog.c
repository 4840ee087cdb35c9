/* SPDX-License-Identifier: MIT */
/* Watchdogs of processes (watchdog.c): when a process is found late, what a kick moves, what is left of an old run, and
 * what the control console says meanwhile. The counter runs at 1 GHz. */
#include "threads.h"

#include <core/monitor.h>
#include <generated/process_calls.h>

#include "process/watchdog.h"

#define MS 1000000ull

struct domain domains[SYS_MAX_DOMAINS];
unsigned n_domains;

static struct sys_domain conf[3];
static struct process process;
static struct process_thread thread;
static unsigned leaves, ends;

void process_thread_leave(struct process_thread *t, unsigned prio)
{
    assert_int_equal(prio, PRIO_MAX); /* nobody keeps it from its end */
    leaves++;
}
void domain_end(struct domain *d, enum domain_end how, const char *fmt, ...)
{
    assert_int_equal(how, END_WATCHDOG);
    ends++;
}

static int begin(void **state)
{
    setup(state);
    time_hz = 1000000000;
    leaves = ends = 0;
    conf[0] = (struct sys_domain){ .name = "p", .kind = SYS_KIND_PROCESS, .watchdog_ms = 10 };
    conf[1] = (struct sys_domain){ .name = "q", .kind = SYS_KIND_PROCESS };
    conf[2] = (struct sys_domain){ .name = "vm", .kind = SYS_KIND_VM, .watchdog_ms = 20 };
    n_domains = 3;
    for (unsigned i = 0; i < 3; i++)
        domains[i] = (struct domain){ .id = i, .state = DOMAIN_RUNNING, .conf = &conf[i], .impl = i ? NULL : &process };
    process = (struct process){ .domain = &domains[0], .thread = &thread };
    thread = (struct process_thread){ .process = &process };
    process_watchdog_start(&process);
    return 0;
}

static s64 kick(void) { return process_call_watchdog_kick(&thread); }

static void test_it_leaves_one_period_after_its_last_kick(void **state)
{
    ticks_t start = time_now();
    host_run(start + 6 * MS);
    assert_int_equal(kick(), 0);
    host_run(start + 15 * MS);
    process_watchdog_end(&process); /* a thread that leaves for another reason */
    assert_true(leaves == 0 && ends == 0);
    host_run(start + 16 * MS + 1000);
    assert_int_equal(leaves, 1);
    process_watchdog_end(&process);
    assert_int_equal(ends, 1);
    host_run(start + 60 * MS);
    assert_int_equal(leaves, 1);
}

static void test_kicks_cost_one_alarm_a_period(void **state)
{
    ticks_t start = time_now();
    unsigned before = host_alarms_set;
    for (unsigned i = 1; i <= 1000; i++) {
        host_run(start + i * MS / 10);
        assert_int_equal(kick(), 0);
    }
    assert_int_equal(leaves, 0);
    assert_in_range(host_alarms_set - before, 10, 24); /* 10 periods; the idle loop may ask twice */
}

static void test_what_has_no_watchdog_may_not_kick_and_never_leaves(void **state)
{
    process_watchdog_stop(&process);
    process.domain = &domains[1];
    process_watchdog_start(&process);
    assert_int_equal(kick(), -ENOENT);
    host_run(time_now() + 100 * MS);
    assert_int_equal(leaves, 0);
}

static void test_of_a_run_that_ends_nothing_is_left(void **state)
{
    ticks_t start = time_now();
    host_run(start + 9 * MS);
    process_watchdog_stop(&process);
    timer_arm(&process.watchdog, start + 12 * MS); /* by a look() that had begun on another core */
    assert_int_equal(kick(), 0);                   /* a thread that has not left yet */
    host_run(start + 40 * MS);
    assert_int_equal(leaves, 0);
    process.expired = true; /* found late while it ended for another reason */
    process_watchdog_start(&process);
    process_watchdog_end(&process);
    assert_int_equal(ends, 0);
    host_run(start + 51 * MS);
    assert_int_equal(leaves, 1);
}

char *strstr(const char *in, const char *what); /* the C library's: string.h is the kernel's here */
static void says(const char *first, const char *second)
{
    host_clear_out();
    assert_int_equal(__start_monitor_commands->run(""), 0);
    host_settle();
    assert_non_null(strstr(host_out[0], first));
    assert_non_null(strstr(host_out[0], second));
}

static void test_health_is_good_late_failed_or_stopped(void **state)
{
    says("p               good    watchdog 10 ms, ", "vm              good    watchdog 20 ms, 20 ms left");
    host_run(time_now() + 6 * MS);
    says("p               late    watchdog 10 ms, ", "q               good    watchdog 0 ms, 0 ms left");
    assert_int_equal(kick(), 0);
    domains[2] = (struct domain){ .state = DOMAIN_STOPPED, .end = END_WATCHDOG, .conf = &conf[2] };
    says("p               good    watchdog 10 ms, ", "vm              failed  watchdog 20 ms, 20 ms left");
    domains[0].state = DOMAIN_STOPPED;
    domains[0].end = END_FAULT;
    domains[2].end = END_STOPPED;
    says("p               failed  watchdog 10 ms, 10", "vm              stopped watchdog 20 ms, 20 ms left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_it_leaves_one_period_after_its_last_kick, begin),
        cmocka_unit_test_setup(test_kicks_cost_one_alarm_a_period, begin),
        cmocka_unit_test_setup(test_what_has_no_watchdog_may_not_kick_and_never_leaves, begin),
        cmocka_unit_test_setup(test_of_a_run_that_ends_nothing_is_left, begin),
        cmocka_unit_test_setup(test_health_is_good_late_failed_or_stopped, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
