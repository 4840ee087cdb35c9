/* SPDX-License-Identifier: MIT */
/* test_caps_ahead.c - numbers that a page server draws ahead: each is given once, with a source and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static int source(void *to, size_t n);
#define getentropy source
#include "caps/ahead.c"
#undef getentropy

static uint64_t next, now;
static unsigned draws;
static int fails;

uint64_t amalgam_clock(void) { return ++now; }

static int source(void *to, size_t n)
{
    draws++;
    for (size_t i = 0; i < n / sizeof(next) && !fails; i++)
        ((uint64_t *)to)[i] = ++next;
    return fails;
}

static void each_number_is_given_once(void **state)
{
    (void)state;
    static unsigned char seen[400];
    for (unsigned i = 0; i < 200; i++) {
        uint64_t number = ahead_draw();
        assert_true(number && number < sizeof(seen) && !seen[number]++);
        if (i % 7 == 0)
            ahead_fill();
    }
}

static void numbers_are_drawn_when_few_are_left(void **state)
{
    (void)state;
    ahead_fill();
    while (left > AHEAD / 2)
        ahead_draw();
    draws = 0;
    ahead_fill();
    assert_int_equal(draws, 0);
    ahead_draw();
    ahead_fill();
    assert_true(draws == 1 && left == AHEAD);
}

static void without_a_source_no_number_comes_twice(void **state)
{
    (void)state;
    while (left)
        ahead_draw();
    fails = -1;
    ahead_fill();
    assert_int_equal(left, 0);
    assert_true(ahead_draw() != ahead_draw());
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_number_is_given_once),
                                        cmocka_unit_test(numbers_are_drawn_when_few_are_left),
                                        cmocka_unit_test(without_a_source_no_number_comes_twice) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
