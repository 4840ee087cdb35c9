/* SPDX-License-Identifier: MIT */
/* Members of the storms of deaths see what must not be, and nothing else (guests/include/numbers.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <numbers.h>

static struct numbers_half halves[2];
static struct numbers writer, reader;

static int setup(void **state)
{
    for (unsigned i = 0; i < 2; i++)
        halves[i] = (struct numbers_half){ 0 };
    numbers_begin(&writer, halves, 0);
    numbers_begin(&reader, halves, 1);
    return 0;
}

/* As if the writer had sent `number` of `life`, after it had dropped so many. */
static void forge(uint32_t life, uint32_t number, uint32_t dropped)
{
    halves[0].life = life;
    halves[0].dropped = dropped;
    for (uint32_t i = 0; i < NUMBERS_DATA; i++)
        halves[0].data[i] = numbers_word(life, number, i);
    halves[0].number = number;
}

static bool sees(const char *what)
{
    numbers_take(&reader);
    return reader.wrong && strstr(reader.wrong, what);
}

static void messages_are_taken_once_and_in_order(void **state)
{
    for (unsigned i = 0; i < 100; i++) {
        assert_true(numbers_send(&writer, false));
        assert_false(numbers_send(&writer, false)); /* it waits */
        assert_true(numbers_take(&reader));
        assert_false(numbers_take(&reader));
    }
    assert_null(reader.wrong);
    assert_int_equal(reader.taken, 100);
}

static void what_is_late_is_dropped_and_counted(void **state)
{
    numbers_send(&writer, false);
    numbers_take(&reader);
    numbers_send(&writer, false);
    numbers_send(&writer, true);
    numbers_send(&writer, true);
    assert_int_equal(writer.dropped, 2);
    assert_true(numbers_take(&reader));
    assert_int_equal(reader.missing, 2);
    numbers_send(&writer, true); /* it was taken */
    assert_int_equal(writer.dropped, 2);
    assert_null(reader.wrong);
}

static void either_may_begin_again_at_any_time(void **state)
{
    for (unsigned i = 0; i < 200; i++) {
        numbers_send(&writer, i % 5 == 0);
        if (i % 7 == 0)
            numbers_begin(&writer, halves, 0);
        if (i % 3 == 0)
            numbers_take(&reader);
        if (i % 11 == 0)
            numbers_begin(&reader, halves, 1);
        assert_null(reader.wrong);
    }
}

static void a_number_twice_is_seen(void **state)
{
    forge(1, 5, 4);
    assert_true(numbers_take(&reader));
    assert_null(reader.wrong);
    forge(1, 4, 4);
    assert_true(sees("twice"));
}

static void a_number_twice_is_seen_in_a_readers_next_life_too(void **state)
{
    forge(1, 5, 4);
    numbers_take(&reader);
    numbers_begin(&reader, halves, 1);
    forge(1, 4, 4);
    assert_true(sees("twice"));
}

static void a_life_that_was_over_is_seen(void **state)
{
    forge(3, 1, 0);
    numbers_take(&reader);
    forge(2, 9, 8);
    assert_true(sees("over"));
}

static void a_message_of_two_lives_is_seen(void **state)
{
    forge(2, 1, 0);
    halves[0].data[NUMBERS_DATA - 1] = numbers_word(1, 1, NUMBERS_DATA - 1);
    assert_true(sees("not whole"));
}

static void what_is_missing_and_was_not_counted_is_seen(void **state)
{
    forge(1, 1, 0);
    numbers_take(&reader);
    forge(1, 3, 0);
    assert_true(sees("missing"));
    setup(NULL);
    forge(1, 1, 0);
    numbers_take(&reader);
    forge(1, 3, 2); /* counted, but not missing */
    assert_true(sees("missing"));
}

static void an_order_is_for_the_life_that_it_names(void **state)
{
    numbers_order(&writer, 'k');
    assert_int_equal(numbers_ordered(&reader), 'k');
    numbers_begin(&reader, halves, 1);
    assert_int_equal(numbers_ordered(&reader), 0);
    numbers_order(&writer, 'r');
    assert_int_equal(numbers_ordered(&reader), 'r');
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(messages_are_taken_once_and_in_order),
        T(what_is_late_is_dropped_and_counted),
        T(either_may_begin_again_at_any_time),
        T(a_number_twice_is_seen),
        T(a_number_twice_is_seen_in_a_readers_next_life_too),
        T(a_life_that_was_over_is_seen),
        T(a_message_of_two_lives_is_seen),
        T(what_is_missing_and_was_not_counted_is_seen),
        T(an_order_is_for_the_life_that_it_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
