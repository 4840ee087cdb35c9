/* SPDX-License-Identifier: MIT */
/* Programs of Linux that still use the shared area when their system ends write nothing into the next one's. */
#include "split_test.h"

/* A program of Linux that serves entry `n` says so, and lets go when the generation has changed. */
static void serve(unsigned n) { shared()->entry[n].served = shared()->generation; }
static u32 serves_in;
static void lets_go_after_3_ms(void)
{
    assert_int_equal(shared()->n_entries, 0); /* first it is told */
    assert_int_not_equal(shared()->generation, serves_in);
    if (slept >= 3000000)
        shared()->entry[0].served = 0;
}

static void a_reset_waits_for_programs_that_serve_an_entry(void **state)
{
    claim("a", 8192, 1);
    u32 at = shared()->entry[0].offset;
    serve(0);
    serves_in = shared()->generation;
    meanwhile = lets_go_after_3_ms;
    split_reset();
    assert_in_range(slept, 3000000, 10000000);
    claim("b", 8192, 1);
    assert_int_equal(shared()->entry[0].offset, at);
    split_reset(); /* nobody serves it */
    assert_in_range(slept, 3000000, 10000000);
    assert_int_equal(lines, 0);
}

/* Its program may still write there: a read of a slow disk that it has begun, or a frame. */
static void what_a_program_still_serves_is_given_to_no_later_system(void **state)
{
    claim("a", 8192, 1);
    claim("b", 4096, 1);
    claim("c", 4096, 1);
    u32 end = shared()->entry[1].offset + shared()->entry[1].size;
    serve(1);
    split_reset();
    assert_in_range(slept, 500000000, 2000000000);
    assert_int_equal(lines, 1);
    for (unsigned i = 0; i < 3; i++) {
        slept = 0;
        claim("a", 8192, 1);
        assert_int_equal(shared()->entry[0].offset, end);
        assert_int_equal(shared()->entry[0].served, 0);
        split_reset();
        assert_int_equal(slept, 0);
    }
    claim("all", (u32)sizeof(area) - end, 1);
    serve(0);
    shared()->entry[0].offset = shared()->entry[0].size = 4096; /* Linux says what it likes */
    split_reset();
    assert_int_equal(claim("a", 1, 1), -ENOSPC); /* until the kernel is loaded again */
}

static void the_generation_is_counted_where_linux_cannot_write(void **state)
{
    claim("a", 4096, 1);
    u32 generation = shared()->generation;
    assert_int_not_equal(generation, 0);
    shared()->generation = ~0u;
    claim("b", 4096, 1);
    assert_int_equal(shared()->generation, generation + 1);
    split_reset();
    assert_int_equal(shared()->generation, generation + 2);
    split.generation = LIFE_MASK;
    claim("a", 4096, 1);
    assert_int_equal(shared()->generation, 1); /* 0: nobody serves it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_reset_waits_for_programs_that_serve_an_entry, setup),
        cmocka_unit_test_setup(what_a_program_still_serves_is_given_to_no_later_system, setup),
        cmocka_unit_test_setup(the_generation_is_counted_where_linux_cannot_write, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
