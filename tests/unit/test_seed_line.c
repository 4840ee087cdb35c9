/* SPDX-License-Identifier: MIT */
/* Random bytes on a PC's command line (arch/x86/boot/seed.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <chacha.h>
#include <seed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arch/boot.h>

#define DIGITS "00112233445566778899aAbBcCdDeEfF0102030405060708090a0b0c0d0e0f10"
#define ZEROS  "0000000000000000000000000000000000000000000000000000000000000000"

static void test_the_digits_are_the_key_and_are_cleared(void **state)
{
    static const u8 wanted[32] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa,
                                   0xbb, 0xcc, 0xdd, 0xee, 0xff, 1,    2,    3,    4,    5,    6,
                                   7,    8,    9,    10,   11,   12,   13,   14,   15,   16 };
    static const char *const lines[] = { "seed=" DIGITS, "tagged seed=" DIGITS " more" };
    for (unsigned i = 0; i < 2; i++) {
        char line[128];
        u32 key[CHACHA_KEY];
        snprintf(line, sizeof(line), "%s", lines[i]);
        seed_take_from_line(line);
        assert_true(seed_give(key));
        assert_memory_equal(key, wanted, sizeof(wanted));
        for (const char *at = line; *at; at++)
            assert_false(*at > '0' && *at <= '9');
        assert_int_equal(strlen(line), strlen(lines[i]));
        assert_false(seed_give(key));
    }
}

/* Each is in memory of its size, so that a byte beyond it is seen. */
static void test_what_is_no_such_word_is_no_seed(void **state)
{
    static const char *const lines[] = {
        "", "see", "seed", "seed=", "seed=00", "seed=x", "reseed=" DIGITS, "seed=g" DIGITS, "seed=" ZEROS
    };
    for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        u32 key[CHACHA_KEY];
        char *line = memcpy(malloc(strlen(lines[i]) + 1), lines[i], strlen(lines[i]) + 1);
        seed_take_from_line(line);
        assert_false(seed_give(key));
        free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_digits_are_the_key_and_are_cleared),
        cmocka_unit_test(test_what_is_no_such_word_is_no_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
