/* SPDX-License-Identifier: MIT */
/* The area shared with Linux: entries are announced, rung and taken back; what Linux writes there is bounded. */
#include "split_test.h"

static void there_may_be_no_area(void **state)
{
    area_size = 0;
    assert_int_equal(claim("a", 4096, 1), -ENODEV);
    split_reset();
    split_irq();
    assert_int_equal(posts, 0);
}

static void an_entry_is_announced(void **state)
{
    assert_int_equal(claim("first", 100, 1), 0);
    u32 generation = shared()->generation;
    assert_int_equal(claim("second", 8192, 1), 1);
    assert_int_equal(shared()->magic, BACKEND_MAGIC);
    assert_int_equal(shared()->n_entries, 2);
    assert_int_not_equal(shared()->generation, generation);
    const struct backend_entry *e = &shared()->entry[1];
    assert_string_equal(e->name, "second");
    assert_int_equal(e->type, BACKEND_BLOCK);
    assert_int_equal(e->sectors, 77);
    assert_int_equal(e->offset, 2 * 4096);
    assert_int_equal(area[e->offset], 0);
    assert_int_equal(area[e->offset + 8191], 0);
    assert_true(kicks >= 2);
}

/* A tunnel may be as large as the area. */
static void memory_is_cleared_with_interrupts_on(void **state)
{
    cleared_at_once = 0;
    assert_int_equal(claim("large", sizeof(area) - 4096, 1), 0);
    assert_int_equal(area[sizeof(area) - 1], 0);
    assert_in_range(cleared_at_once, 0, 4096);
    assert_true(host_irq_on);
}

static void a_name_belongs_to_one(void **state)
{
    assert_int_equal(claim("disk", 4096, 1), 0);
    assert_int_equal(claim("disk", 4096, 1), -EEXIST);
    assert_int_equal(claim("disk2", 4096, 1), 1);
}

static void what_does_not_fit_is_refused(void **state)
{
    assert_int_equal(claim("large", sizeof(area), 1), -ENOSPC);
    assert_int_equal(claim("all", sizeof(area) - 4096, 1), 0);
    assert_int_equal(claim("more", 1, 1), -ENOSPC);
    split_reset();
    char name[] = "a";
    for (int i = 0; i < BACKEND_ENTRIES; i++, name[0]++)
        assert_int_equal(claim(name, 4096, 1), i);
    assert_int_equal(claim("last", 4096, 1), -ENOSPC);
}

/* What lies behind the area is the kernel's, or a domain's. */
static void what_linux_writes_of_its_size_is_not_believed(void **state)
{
    assert_int_equal(claim("a", 4096, 1), 0);
    shared()->size = 1u << 30;
    assert_int_equal(claim("beyond", sizeof(area), 1), -ENOSPC);
    shared()->size = 0;
    assert_int_equal(claim("b", 4096, 1), 1);
}

static void linux_rings_and_is_heard_once(void **state)
{
    claim("a", 4096, 1);
    claim("b", 4096, 100);
    shared()->to_kernel = 2;
    split_irq();
    run();
    assert_int_equal(calls, 100);
    split_irq(); /* without saying for what */
    run();
    assert_int_equal(calls, 100);
    shared()->to_kernel = ~0u; /* also for entries that are not there */
    split_irq();
    run();
    assert_int_equal(calls, 201);
}

static void who_has_more_to_do_is_called_again_after_a_pause(void **state)
{
    claim("a", 4096, 1);
    claim("b", 4096, 100);
    busy = 2; /* both */
    shared()->to_kernel = 3;
    split_irq();
    run();
    assert_int_equal(calls, 202);
    assert_in_range(pause, 500000, 5000000);
    run();
    assert_int_equal(calls, 202);
}

static void the_thread_ends_with_the_system_and_comes_with_the_next(void **state)
{
    assert_int_equal(threads, 0);
    claim("a", 4096, 1);
    claim("b", 4096, 1);
    assert_int_equal(threads, 1);
    shared()->to_kernel = 1;
    split_irq();
    split_reset();
    assert_int_equal(threads, 0);
    assert_int_equal(calls, 1); /* not lost, and over before the reset was */
    shared()->to_kernel = 1;
    split_irq();
    assert_int_equal(posts, 0);
    assert_int_equal(claim("c", 4096, 10), 0);
    assert_int_equal(threads, 1);
    run();
    assert_int_equal(calls, 1);
}

static void the_kernel_rings_once_until_linux_has_looked(void **state)
{
    claim("a", 4096, 1);
    kicks = 0;
    split_ring(0);
    split_ring(0);
    assert_int_equal(kicks, 1);
    assert_int_equal(shared()->to_linux, 1);
    shared()->to_linux = 0;
    split_ring(0);
    assert_int_equal(kicks, 2);
}

static void each_entry_is_rung_until_its_own_bit_is_cleared(void **state)
{
    claim("a", 4096, 1);
    claim("b", 4096, 1);
    split_ring(0);
    split_ring(1);
    kicks = 0;
    shared()->to_linux &= ~2u; /* who serves the second has looked, who serves the first has not */
    split_ring(0);
    assert_int_equal(kicks, 0);
    split_ring(1);
    assert_int_equal(kicks, 1);
    assert_int_equal(shared()->to_linux, 3);
}

static void a_reset_takes_everything_back(void **state)
{
    claim("a", 4096, 1);
    u32 generation = shared()->generation;
    split_reset();
    assert_int_equal(shared()->n_entries, 0);
    assert_int_not_equal(shared()->generation, generation);
    shared()->to_kernel = 1;
    split_irq();
    run();
    assert_int_equal(calls, 0);
    assert_int_equal(claim("a", 4096, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_may_be_no_area),
        cmocka_unit_test_setup(an_entry_is_announced, setup),
        cmocka_unit_test_setup(memory_is_cleared_with_interrupts_on, setup),
        cmocka_unit_test_setup(a_name_belongs_to_one, setup),
        cmocka_unit_test_setup(what_does_not_fit_is_refused, setup),
        cmocka_unit_test_setup(what_linux_writes_of_its_size_is_not_believed, setup),
        cmocka_unit_test_setup(linux_rings_and_is_heard_once, setup),
        cmocka_unit_test_setup(who_has_more_to_do_is_called_again_after_a_pause, setup),
        cmocka_unit_test_setup(the_thread_ends_with_the_system_and_comes_with_the_next, setup),
        cmocka_unit_test_setup(the_kernel_rings_once_until_linux_has_looked, setup),
        cmocka_unit_test_setup(each_entry_is_rung_until_its_own_bit_is_cleared, setup),
        cmocka_unit_test_setup(a_reset_takes_everything_back, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
