/* SPDX-License-Identifier: MIT */
/* test_net_address.c - which addresses the cores of an SCC get (user/net/address.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <net/address.h>

#define IP(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

static void no_core_gets_an_address_of_another_network(void **state)
{
    (void)state;
    const uint32_t mask = IP(255, 255, 255, 0);
    assert_int_equal(address_above(IP(10, 0, 2, 100), mask, 47), IP(10, 0, 2, 147));
    assert_int_equal(address_above(IP(10, 0, 2, 250), mask, 4), IP(10, 0, 2, 254));
    assert_int_equal(address_above(IP(10, 0, 2, 250), mask, 5), 0); /* all hosts */
    assert_int_equal(address_above(IP(10, 0, 2, 250), mask, 6), 0);
    assert_int_equal(address_above(IP(10, 0, 2, 250), mask, UINT32_MAX), 0);
    assert_int_equal(address_above(IP(10, 0, 2, 4), UINT32_MAX << 1, 1), IP(10, 0, 2, 5)); /* a network of two */
    assert_int_equal(address_above(IP(10, 0, 2, 5), UINT32_MAX << 1, 1), 0);
    assert_int_equal(address_above(IP(10, 0, 2, 5), UINT32_MAX, 1), 0);
    assert_int_equal(address_above(IP(10, 0, 2, 5), UINT32_MAX, 0), IP(10, 0, 2, 5));
    assert_int_equal(address_above(UINT32_MAX - 2, 0, 1), UINT32_MAX - 1);
    assert_int_equal(address_above(UINT32_MAX - 2, 0, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_core_gets_an_address_of_another_network) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
