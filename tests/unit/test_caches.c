/* SPDX-License-Identifier: MIT */
/* The caches of tools/plugin/caches.c, against a list of all accesses: a line is there if fewer other lines of its set
 * than there are ways were used since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include "caches.h"

#define STEPS 4000u

static struct {
    uint64_t number;
    bool dropped;
} used[STEPS];
static unsigned n_used;
static uint32_t seed = 1;

static unsigned some(unsigned below) { return (seed = seed * 1664525u + 1013904223u) / 65536u % below; }

static bool is_there(const struct cache_shape *s, uint64_t number)
{
    uint64_t others[1024];
    unsigned n = 0;
    for (unsigned i = n_used; i-- > 0;) {
        if (used[i].number % s->sets != number % s->sets)
            continue;
        if (used[i].number == number)
            return !used[i].dropped && n < s->ways;
        if (used[i].dropped)
            continue;
        unsigned k = 0;
        while (k < n && others[k] != used[i].number)
            k++;
        if (k == n)
            others[n++] = used[i].number;
    }
    return false;
}

static void compare(const char *words)
{
    struct cache_shape s;
    struct cache c;
    assert_true(cache_shape_read(words, &s));
    assert_true(cache_begin(&c, &s));
    unsigned span = 3 * s.sets * s.ways * s.line, misses = 0;
    for (n_used = 0; n_used < STEPS;) {
        uint64_t address = some(span);
        bool store = some(3) == 0, there = is_there(&s, address / s.line);
        misses += !there && !(store && s.around);
        assert_int_equal(cache_access(&c, address, store), !there && !(store && s.around));
        if (there || !(store && s.around)) {
            used[n_used].number = address / s.line;
            used[n_used++].dropped = false;
        }
    }
    assert_true(c.misses == misses && c.accesses >= STEPS);
    free(c.lines);
}

static void a_line_stays_until_as_many_others_of_its_set_as_there_are_ways_were_used(void **unused)
{
    static const char *const shapes[] = { "1K:2:64", "512:1:32", "1K:16:64", "768:3:64", "1K:2:64:around", "64:1:64" };
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        compare(shapes[i]);
}

static void a_dropped_line_is_not_there_and_moves_no_other(void **unused)
{
    struct cache_shape s;
    struct cache c;
    assert_true(cache_shape_read("256:4:64", &s) && cache_begin(&c, &s));
    for (unsigned i = 0; i < 4; i++)
        assert_true(cache_access(&c, 64 * i, false));
    cache_drop(&c, 64);
    cache_drop(&c, 4096); /* none */
    assert_false(cache_access(&c, 0, false) || cache_access(&c, 128, false) || cache_access(&c, 192, false));
    assert_true(cache_access(&c, 64, false));
    assert_false(cache_access(&c, 0, false)); /* the dropped one's place was free */
    cache_drop_all(&c);
    for (unsigned i = 0; i < 4; i++)
        assert_true(cache_access(&c, 64 * i, false));
    free(c.lines);
}

static void lines_ahead_come_with_a_missed_one(void **unused)
{
    struct cache_shape s;
    struct cache c;
    assert_true(cache_shape_read("1K:4:64:ahead=2", &s) && cache_begin(&c, &s));
    assert_true(cache_access(&c, 0, false));
    assert_false(cache_access(&c, 64, false) || cache_access(&c, 128, false));
    assert_true(cache_access(&c, 192, false));
    assert_int_equal(c.misses, 2);
    free(c.lines);
}

static void what_is_no_shape_is_refused(void **unused)
{
    static const char *const wrong[] = {
        "",       "8K",        "8K:2",   "8K:2:64:", "8K:0:64",       "8K:3:64",        "8K:2:60",
        "8K:2:4", "8K:2:8192", "0:2:64", "32M:2:64", "8K:2:64:round", "8K:2:64:ahead=", "8K:2:64:ahead=17"
    };
    struct cache_shape s;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_false(cache_shape_read(wrong[i], &s));
    assert_true(cache_shape_read("8K:2:32:around:ahead=1", &s));
    assert_true(s.sets == 128 && s.ways == 2 && s.line == 32 && s.around && s.ahead == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_stays_until_as_many_others_of_its_set_as_there_are_ways_were_used),
        cmocka_unit_test(a_dropped_line_is_not_there_and_moves_no_other),
        cmocka_unit_test(lines_ahead_come_with_a_missed_one),
        cmocka_unit_test(what_is_no_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
