/* SPDX-License-Identifier: MIT */
/* The order of messages that are kept for long (letters.c), and of data that wait in another cluster's buffers
 * (portal_notices.c), also where their numbers come to an end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "noc_host.h"

#define latest latest_letter
#include "cluster/letters.c"
#undef latest
#include "cluster/portal_notices.c"

#define PORT   1
#define SENDER 1

ticks_t host_now;
u32 lanes_dropped;
void peer_give_back(unsigned node, u32 buffers) {}

/* The number of the one before the second one, when the first one has number 1. */
static const u32 before[] = { 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff };

static void keep(u8 from, u8 word)
{
    static union {
        u8 byte[LANE_DATA];
        u64 align;
    } data;
    data.byte[0] = word;
    assert_true(letters_keep(SENDER, &(struct lane_message){ .to = PORT, .from = from, .size = 1, .data = data.byte }));
}

static u8 take_one(u8 from)
{
    struct letter *l = letters_oldest(PORT, &(struct letter_filter){ .on = true, .node = SENDER, .port = from });
    assert_non_null(l);
    u8 word = l->data[0];
    letters_take(l);
    return word;
}

static void what_was_kept_first_is_read_first_whatever_came_between(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
        latest_letter = 0;
        keep(2, 'a');
        latest_letter = before[i];
        keep(2, 'b');
        assert_int_equal(take_one(COMM_PORTS), 'a');
        assert_int_equal(take_one(COMM_PORTS), 'b');
    }
}

static void those_that_are_kept_over_the_end_of_the_numbers_keep_their_order(void **state)
{
    for (u32 left = 0; left <= 10; left++) {
        latest_letter = ~0u - left;
        for (u8 word = 0; word < 10; word++) {
            keep(2, word);
            if (word == 5)
                assert_int_equal(take_one(2), 0); /* so that places are used in another order than numbers */
        }
        for (u8 word = 1; word < 10; word++)
            assert_int_equal(take_one(2), word);
    }
}

static void what_a_later_one_has_overtaken_is_late_whatever_came_between(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
        latest_letter = 0;
        keep(2, 'a');
        latest_letter = before[i];
        keep(3, 'b');
        assert_false(letters_late(PORT));
        assert_int_equal(take_one(3), 'b');
        assert_true(letters_late(PORT));
        assert_int_equal(take_one(2), 'a');
        assert_false(letters_late(PORT));
    }
}

static void tell(u8 buffer)
{
    portal_note(SENDER, &(struct lane_page){ .length = 1, .ports = portal_ports(PORT, 2), .buffer = buffer }, 1);
}

static void what_was_told_first_is_read_first_whatever_came_between(void **state)
{
    struct portal p = { .end = { .node = SENDER, .own = 2, .port = PORT } };
    for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
        struct dma_page page[2];
        u16 length;
        bool others;
        latest = 0;
        tell(1);
        latest = before[i];
        tell(0);
        assert_int_equal(portal_waiting(&p, &length), 1);
        assert_int_equal(portal_all_waiting(&p, page, 2, &others), 2);
        assert_true(page[0].buffer == 1 && page[1].buffer == 0);
        portal_pass(SENDER, 0);
        portal_done_all(SENDER, page, 2);
    }
}

int main(void)
{
    noc_host_self = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_kept_first_is_read_first_whatever_came_between),
        cmocka_unit_test(those_that_are_kept_over_the_end_of_the_numbers_keep_their_order),
        cmocka_unit_test(what_a_later_one_has_overtaken_is_late_whatever_came_between),
        cmocka_unit_test(what_was_told_first_is_read_first_whatever_came_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
