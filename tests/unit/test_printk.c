/* SPDX-License-Identifier: MIT */
/* kvsnprintf() says what the C library says, for the formats it promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host.h"
#include <core/log.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static char ours[64], theirs[64];

#define SAME(size, ...)                                                                                                \
    do {                                                                                                               \
        memset(ours, '#', sizeof(ours));                                                                               \
        memset(theirs, '#', sizeof(theirs));                                                                           \
        int n = ksnprintf(ours, size, __VA_ARGS__), m = snprintf(theirs, size, __VA_ARGS__);                           \
        assert_int_equal(n, m);                                                                                        \
        if (size)                                                                                                      \
            assert_string_equal(ours, theirs);                                                                         \
    } while (0)

static void numbers(void **state)
{
    static const int ints[] = { 0, 1, -1, 42, -42, INT_MAX, INT_MIN };
    static const u64 longs[] = { 0, 1, LLONG_MAX, ULLONG_MAX, 1ull << 32 };
    for (unsigned i = 0; i < 7; i++) {
        SAME(64, "%d|%5d|%-5d|%05d|%12d|%012d", ints[i], ints[i], ints[i], ints[i], ints[i], ints[i]);
        SAME(64, "%u|%x|%8x|%08x|%-12x|", (unsigned)ints[i], (unsigned)ints[i], (unsigned)ints[i], (unsigned)ints[i],
             (unsigned)ints[i]);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(longs); i++)
        SAME(64, "%llu|%llx|%018llx", longs[i], longs[i], longs[i]);
}

static void text(void **state)
{
    SAME(64, "%s|%8s|%-8s|%2s", "abc", "abc", "abc", "abc");
    SAME(64, "100%%|%%s");
    const char *null = NULL;
    ksnprintf(ours, sizeof(ours), "%s", null);
    assert_string_equal(ours, "(null)");
}

static void short_buffers_are_terminated_and_the_whole_length_returned(void **state)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-truncation"
    SAME(0, "%d", 12345);
    SAME(1, "%d", 12345);
    SAME(5, "%d", 12345);
    SAME(6, "%d", 12345);
    SAME(8, "%s and %s", "this", "that");
#pragma GCC diagnostic pop
    assert_int_equal(ours[8], '#');
}

static void a_format_that_ends_early_is_harmless(void **state)
{
    char f[] = "100%";
    assert_int_equal(ksnprintf(ours, sizeof(ours), f), 3);
    assert_string_equal(ours, "100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(text),
        cmocka_unit_test(short_buffers_are_terminated_and_the_whole_length_returned),
        cmocka_unit_test(a_format_that_ends_early_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
