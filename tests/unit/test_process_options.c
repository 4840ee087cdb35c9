/* SPDX-License-Identifier: MIT */
/* test_process_options.c - the arguments of a process server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "process/options.h"

static void each_argument_is_a_name_and_a_number(void **state)
{
    (void)state;
    struct options o = { .threads = 1, .share = 32, .largest = 64 };
    char *words[] = { "process", "threads=3", "largest=65", "dies=311", NULL };
    assert_null(options_read(1, words, &o));
    assert_true(o.threads == 1 && o.share == 32 && o.largest == 64 && o.dies == 0);
    assert_null(options_read(4, words, &o));
    assert_true(o.threads == 3 && o.share == 32 && o.largest == 65 && o.dies == 311);
    words[2] = "from=31,0,2";
    assert_null(options_read(4, words, &o));
    assert_int_equal(o.from, 1u << 31 | 5);
}

static void what_is_no_argument_is_named(void **state)
{
    (void)state;
    static char *wrong[] = {
        "threads=3x", "threads=",        "threads",    "thread=3",       "share=0",
        "share=33",   "share=-1",        "largest= 4", "largest=497",    "threads=18446744073709551617",
        "",           "dies=4294967296", "from=",      "from=32",        "from=1,",
        "from=,1",    "from=1 2",        "from=-1",    "from=4294967296"
    };
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct options o = { 0 };
        char *words[] = { "process", "share=2", wrong[i], "threads=1", NULL };
        assert_ptr_equal(options_read(4, words, &o), wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_argument_is_a_name_and_a_number),
        cmocka_unit_test(what_is_no_argument_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
