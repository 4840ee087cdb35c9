/* SPDX-License-Identifier: MIT */
/* The trace ring keeps the newest events, per core, and prints lines that the host understands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host.h"
#include <core/trace.h>
#include <stdio.h>
#include <string.h>

static int setup(void **state)
{
    if (!n_cpus)
        host_boot(2); /* once: rings stay allocated */
    host_now = 1000;
    host_clear_out();
    return 0;
}

static unsigned lines(void)
{
    unsigned n = 0;
    for (const char *p = host_out[0]; *p; p++)
        n += *p == '\n';
    return n;
}

static void off_records_nothing(void **state)
{
    trace(TRACE_IRQ, 1, 2);
    trace_dump();
    assert_string_equal(host_out[0], "trace end\r\n");
}

static void events_come_out_oldest_first_with_core_and_time(void **state)
{
    assert_int_equal(trace_enable(true), 0);
    host_now = 5000;
    trace(TRACE_HYPERCALL, 0xabc, 7);
    host_on(1);
    host_now = 6000;
    trace(TRACE_EXIT, 1, 2);
    host_on(0);
    host_now = 7000;
    trace(TRACE_INJECT, 3, 0x20);
    trace_enable(false);
    trace(TRACE_IRQ, 9, 9);
    trace_dump();
    assert_string_equal(host_out[0],
                        "T 0 5000 hypercall abc 7\r\nT 0 7000 inject 3 20\r\nT 1 6000 exit 1 2\r\ntrace end\r\n");
    host_clear_out();
    trace_dump(); /* a dump empties */
    assert_string_equal(host_out[0], "trace end\r\n");
}

static void the_oldest_give_way(void **state)
{
    trace_enable(true);
    for (unsigned i = 0; i < TRACE_RING + 100; i++)
        trace(TRACE_WAKE, i, 0);
    trace_enable(false);
    trace_dump();
    char first[64];
    snprintf(first, sizeof(first), "T 0 1000 wake %x 0\r\n", 100);
    assert_memory_equal(host_out[0], first, strlen(first));
    assert_int_equal(lines(), TRACE_RING + 1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = { T(off_records_nothing), T(events_come_out_oldest_first_with_core_and_time),
                                        T(the_oldest_give_way) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
