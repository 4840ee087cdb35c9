/* SPDX-License-Identifier: MIT */
/* What seed.c promises: random bytes for each start of a process, none twice, and none without a source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../../kernel/process/seed.c"

static bool source;
static u32 asked;

bool seed_give(u32 *to)
{
    memset(to, 0, CHACHA_KEY * sizeof(*to));
    asked++;
    return source;
}

static int begin(void **state)
{
    begun = has = false;
    asked = 0;
    return 0;
}

/* RFC 8439, A.1, test vector 1: the second half of the block of a key of zeros. */
static void test_the_first_bytes_are_those_of_chacha20(void **state)
{
    static const u8 wanted[PROCESS_SEED] = { 0xda, 0x41, 0x59, 0x7c, 0x51, 0x57, 0x48, 0x8d, 0x77, 0x24, 0xe0,
                                             0x3f, 0xb8, 0xd8, 0x4a, 0x37, 0x6a, 0x43, 0xb8, 0xf4, 0x15, 0x18,
                                             0xa1, 0x1c, 0xc3, 0x87, 0xb6, 0x69, 0xb2, 0xee, 0x65, 0x86 };
    u8 given[PROCESS_SEED];
    source = true;
    assert_true(process_seed(given));
    assert_memory_equal(given, wanted, sizeof(wanted));
    assert_memory_equal(key, ((u8[]){ 0x76, 0xb8, 0xe0, 0xad }), 4); /* and the key is the first half by now */
}

/* The block of that key, by OpenSSL (enc -chacha20, counter and nonce 0). */
static void test_the_next_bytes_are_those_of_the_next_key(void **state)
{
    static const u8 half[CHACHA_KEY * sizeof(u32)] = { 0xb0, 0xfd, 0x14, 0xff, 0x96, 0xa0, 0xbd, 0xa1, 0x54, 0xc3, 0x29,
                                                       0x08, 0x2c, 0x9c, 0x65, 0x33, 0xbb, 0x4c, 0x94, 0x73, 0xbf, 0x5d,
                                                       0xde, 0x13, 0x8f, 0x82, 0xc9, 0xac, 0x55, 0x53, 0xd9, 0x58 };
    static const u8 wanted[PROCESS_SEED] = { 0xaf, 0xbd, 0xad, 0x28, 0x45, 0xb9, 0x3c, 0xdb, 0xb2, 0xfe, 0x64,
                                             0x63, 0xd2, 0xfe, 0x16, 0x2a, 0xda, 0xe0, 0xf6, 0xe6, 0x76, 0xf0,
                                             0x49, 0x42, 0x18, 0xf5, 0xce, 0x05, 0x96, 0xe7, 0x9f, 0x5c };
    u8 given[PROCESS_SEED];
    source = true;
    assert_true(process_seed(given));
    assert_true(process_seed(given));
    assert_memory_equal(given, wanted, sizeof(wanted));
    assert_memory_equal(key, half, sizeof(half));
}

static void test_no_start_gets_what_another_one_got(void **state)
{
    static u8 given[200][PROCESS_SEED];
    source = true;
    for (unsigned i = 0; i < 200; i++) {
        assert_true(process_seed(given[i]));
        for (unsigned before = 0; before < i; before++)
            assert_memory_not_equal(given[i], given[before], 8);
    }
    assert_int_equal(asked, 1);
}

static void test_without_a_source_there_are_none(void **state)
{
    u8 given[PROCESS_SEED];
    source = false;
    assert_false(process_seed(given));
    assert_false(process_seed(given));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_first_bytes_are_those_of_chacha20, begin),
        cmocka_unit_test_setup(test_the_next_bytes_are_those_of_the_next_key, begin),
        cmocka_unit_test_setup(test_no_start_gets_what_another_one_got, begin),
        cmocka_unit_test_setup(test_without_a_source_there_are_none, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
