/* SPDX-License-Identifier: MIT */
/* What the manycore board's firmware does to the outbox of a cluster that starts again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#define FIRMWARE_CSR_H /* its instructions are another processor's */
static void fence(void);
#include <outbox.c>

#define AREAS 3
#define SIZE  (16 * 1024)

static ulong words[SIZE / sizeof(ulong)], at_fence[SIZE / sizeof(ulong)];
static unsigned fences;

static void fence(void)
{
    memcpy(at_fence, words, sizeof(words));
    fences++;
}

static void the_words_that_say_a_life_are_cleared_before_what_they_are_for(void **state)
{
    u32 word;
    memset(words, 0xee, sizeof(words));
    outbox_clear((ulong)words, sizeof(words), AREAS);
    assert_int_equal(fences, 1);
    for (size_t at = 0; at < SIZE; at += sizeof(word)) {
        memcpy(&word, (char *)at_fence + at, sizeof(word));
        assert_int_equal(word, at % FW_AREA == 0 && at / FW_AREA < AREAS ? 0 : 0xeeeeeeee);
        memcpy(&word, (char *)words + at, sizeof(word));
        assert_int_equal(word, 0);
    }
}

static void an_outbox_that_is_smaller_than_its_areas_is_cleared_and_nothing_behind_it(void **state)
{
    memset(words, 0xee, sizeof(words));
    outbox_clear((ulong)words, FW_AREA, 128);
    assert_int_equal(words[FW_AREA / sizeof(ulong) - 1], 0);
    assert_int_equal(words[FW_AREA / sizeof(ulong)], (ulong)0xeeeeeeeeeeeeeeee);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_that_say_a_life_are_cleared_before_what_they_are_for),
        cmocka_unit_test(an_outbox_that_is_smaller_than_its_areas_is_cleared_and_nothing_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
