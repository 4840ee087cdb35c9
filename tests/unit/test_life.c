/* SPDX-License-Identifier: MIT */
/* Numbers of lives come round without their 0, and keep their order over it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <life.h>

static void no_life_has_the_number_of_none(void **state)
{
    assert_int_equal(life_next(LIFE_NONE), 1);
    assert_int_equal(life_next(LIFE_MASK), 1);
    assert_int_equal(life_next(LIFE_MASK - 1), LIFE_MASK);
}

static void the_order_of_lives_holds_over_the_end_of_their_numbers(void **state)
{
    u32 life = LIFE_MASK - 3;
    for (unsigned i = 0; i < 8; i++, life = life_next(life)) {
        assert_true(life_is_older(life, life_next(life)));
        assert_false(life_is_older(life_next(life), life));
        assert_false(life_is_older(life, life));
        assert_true(life_is_older(life, (life + LIFE_MASK / 2 - 1) & LIFE_MASK ?: 1));
    }
}

static void who_has_not_begun_is_older_than_all(void **state)
{
    assert_true(life_is_older(LIFE_NONE, 1));
    assert_true(life_is_older(LIFE_NONE, LIFE_MASK));
    assert_false(life_is_older(1, LIFE_NONE));
    assert_false(life_is_older(LIFE_MASK, LIFE_NONE));
    assert_false(life_is_older(LIFE_NONE, LIFE_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_life_has_the_number_of_none),
        cmocka_unit_test(the_order_of_lives_holds_over_the_end_of_their_numbers),
        cmocka_unit_test(who_has_not_begun_is_older_than_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
