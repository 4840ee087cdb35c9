/* SPDX-License-Identifier: MIT */
/* Remote calls that cannot be done yet: when they are tried again, and how a wait ends without its event. */
#include "master_test.h"

/* Requests that wait */

static void those_that_wait_are_tried_in_order_when_something_changes(void **state)
{
    static const u8 order[] = { 2, 4, 1 };
    for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
        start(order[i], when_open, 1);
        settle_within(QUIET);
    }
    unsigned tries = callers[2].tries;
    callers[1].open = callers[4].open = true;
    settle_within(QUIET);
    assert_string_equal(served, ""); /* nobody said so */
    assert_int_equal(callers[2].tries, tries);
    request_again();
    settle_within(QUIET);
    assert_string_equal(served, "41");
    assert_in_range(callers[2].tries - tries, 1, 2); /* once more as the others were finished */
    open_for(&callers[2]);
    settle_within(QUIET);
    assert_string_equal(served, "412");
}

/* What one finishes may be what another one waits for. */
static s64 and_opens_the_one_before(struct request *r)
{
    callers[1].open = true;
    return at_once(r);
}

static void a_call_that_is_done_lets_others_be_tried(void **state)
{
    start(1, when_open, 1);
    settle_within(QUIET);
    start(2, and_opens_the_one_before, 1);
    settle_within(QUIET);
    assert_string_equal(served, "21");
}

static s64 finishes_the_next(struct request *r)
{
    struct caller *c = caller_of(r);
    if (!c->open)
        return REQUEST_PENDING;
    for (unsigned i = 2; i < 4; i++)
        request_finish(&callers[i].asked->request, 8);
    for (unsigned i = 0; i < 100; i++)
        meet(); /* they go, with their requests */
    return at_once(r);
}

static void one_may_finish_those_behind_it(void **state)
{
    start(1, finishes_the_next, 1);
    settle_within(QUIET);
    for (unsigned i = 2; i < 5; i++) {
        start(i, when_open, 1);
        settle_within(QUIET);
    }
    callers[4].open = true;
    open_for(&callers[1]);
    settle_within(QUIET);
    assert_string_equal(served, "14");
    assert_true(callers[2].result == 8 && callers[3].result == 8 && !callers[2].calls);
}

/* An end of a wait that is not its event */

static bool drop_if_open(struct request *r, bool ends)
{
    caller_of(r)->drops++;
    return caller_of(r)->open;
}

static struct caller *waiting(unsigned core, bool (*drop)(struct request *r, bool ends), u8 cancelled)
{
    struct caller *c = start(core, when_open, 1);
    c->drop = drop;
    c->cancelled = cancelled;
    settle_within(QUIET);
    assert_true(is_asleep(c));
    return c;
}

static void tell(struct caller *c, bool stop)
{
    *(stop ? &c->thread->stop : &c->thread->signal) = true;
    thread_wake(c->thread);
    settle_within(QUIET);
}

static void a_signal_or_an_end_gives_a_waiting_call_back(void **state)
{
    struct caller *called = waiting(1, NULL, REQUEST_STAYS), *ended = waiting(2, NULL, REQUEST_STAYS);
    tell(called, false);
    assert_int_equal(called->result, -EINTR);
    assert_true(is_asleep(ended) && ended->calls);
    tell(ended, true);
    assert_int_equal(ended->result, -ECANCELED);
    assert_string_equal(served, "");
}

static void what_has_begun_is_not_dropped_for_a_signal(void **state)
{
    struct caller *c = waiting(1, drop_if_open, REQUEST_STAYS);
    tell(c, false);
    assert_true(c->calls && c->drops && is_asleep(c));
    open_for(c);
    settle_within(QUIET);
    assert_int_equal(c->result, -EINTR);
}

static void what_cannot_be_dropped_yet_stays_until_it_can(void **state)
{
    struct caller *c = waiting(1, drop_if_open, REQUEST_STAYS);
    unsigned tries = c->tries;
    tell(c, true);
    assert_true(c->calls && c->drops && is_asleep(c));
    assert_int_equal(c->tries, tries); /* it is served no more */
    open_for(c);
    settle_within(QUIET);
    assert_int_equal(c->result, -ECANCELED);
}

static void what_is_served_to_its_end_is_so_whoever_ends(void **state)
{
    struct caller *c = waiting(1, drop_if_open, REQUEST_TO_END);
    tell(c, true);
    assert_true(c->calls && !c->drops);
    open_for(c);
    settle_within(QUIET);
    assert_true(c->result == 7 && !c->drops);
}

static s64 for_cluster_1(struct request *r)
{
    caller_of(r)->tries++;
    return request_pending(r, 1);
}

static void who_waits_for_a_silent_cluster_has_an_end(void **state)
{
    const struct lane_half *ours = (const struct lane_half *)noc_host_memory[0] + 1;
    u32 asked = ours->ask;
    struct caller *c = start(1, for_cluster_1, 1), *nobodys = start(2, when_open, 1);
    settle_within(QUIET);
    assert_int_equal(ours->ask, asked);
    host_now += noc_patience() / 2 + 100000;
    settle_within(QUIET);
    assert_int_not_equal(ours->ask, asked);
    assert_true(c->calls && master_sleeps());
    host_now += noc_patience() / 2 + 100000;
    settle_within(QUIET);
    assert_int_equal(c->result, -ETIMEDOUT);
    assert_true(c->tries < 6);
    unsigned tries = nobodys->tries;
    host_now += 10 * noc_patience();
    settle_within(QUIET);
    assert_true(nobodys->calls && nobodys->tries <= tries + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(those_that_wait_are_tried_in_order_when_something_changes, setup),
        cmocka_unit_test_setup(a_call_that_is_done_lets_others_be_tried, setup),
        cmocka_unit_test_setup(one_may_finish_those_behind_it, setup),
        cmocka_unit_test_setup(a_signal_or_an_end_gives_a_waiting_call_back, setup),
        cmocka_unit_test_setup(what_has_begun_is_not_dropped_for_a_signal, setup),
        cmocka_unit_test_setup(what_cannot_be_dropped_yet_stays_until_it_can, setup),
        cmocka_unit_test_setup(what_is_served_to_its_end_is_so_whoever_ends, setup),
        cmocka_unit_test_setup(who_waits_for_a_silent_cluster_has_an_end, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
