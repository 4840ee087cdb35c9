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

#define MS 1000000ull

static const struct lane_half *ours_for_1(void) { return (const struct lane_half *)noc_host_memory[0] + 1; }
static struct lane_half *theirs_of(unsigned n) { return (struct lane_half *)noc_host_memory[n]; }

/* As a read from cluster 1 alone: it ends with the cluster's loss. */
static s64 read_of_1(struct request *r)
{
    r->peers = 1u << 1;
    return peer_watch_lost(&losses, 1) ? -EIO : REQUEST_PENDING;
}

static s64 null_call(struct request *r)
{
    meet();
    return 0;
}

/* Whatever keeps the master busy, a call that waits for cluster 1, which is dead, ends. Returns after how many ms. */
static unsigned ms_until_lost(void (*load)(void))
{
    struct caller *c = start(1, read_of_1, 1);
    for (unsigned ms = 5; ms < 5000; ms += 5) {
        if (load)
            load();
        turns_then(5 * MS);
        if (!c->calls) {
            assert_int_equal(c->result, -EIO);
            return ms;
        }
    }
    return 0;
}

static void calls_without_end(void)
{
    if (!callers[2].calls)
        start(2, null_call, 1000000);
}

static void signals_without_end(void)
{
    theirs_of(2)->signal[0] += LANE_STEP;
    noc_ring(0);
}

/* One and a half patiences, and some turns. */
static void a_dead_cluster_is_noticed_in_time_whatever_the_master_does(void **state)
{
    void (*const loads[])(void) = { calls_without_end, signals_without_end, NULL };
    for (unsigned i = 0; i < ARRAY_SIZE(loads); i++) {
        setup(state);
        assert_in_range(ms_until_lost(loads[i]), 1000, 1520);
    }
}

/* A little more than a patience, in which cluster 1 answers at once. */
static void patience_with_1(void)
{
    for (unsigned i = 0; i < 110; i++) {
        poll_as(1);
        turns_then(10 * MS);
    }
}

/* Cluster 1 answers at once. Its answers and our questions ring both. */
static void a_long_wait_for_a_living_cluster_asks_once_in_half_a_patience(void **state)
{
    for (unsigned i = 1; i < 4; i++)
        start(i, read_of_1, 1);
    patience_with_1();
    u32 asked = ours_for_1()->ask;
    polls = 0;
    for (unsigned i = 0; i < 10; i++)
        patience_with_1();
    assert_in_range((ours_for_1()->ask - asked) / LANE_STEP, 20, 22);
    assert_true(polls < 100);
    assert_true(callers[1].calls && callers[2].calls && callers[3].calls);
}

/* All slots that one port may have are full. */
static s64 write_to_1(struct request *r)
{
    static const u64 data[LANE_DATA / 8];
    const struct lane_message m = { .kind = MESSAGE_MAIL, .size = 8, .data = (const u8 *)data };
    return peer_send(1, &m) ? request_pending(r, 1) : 0;
}

static void a_slow_reader_is_waited_for_and_who_takes_nothing_is_not(void **state)
{
    struct caller *c = start(1, write_to_1, LANE_SLOTS);
    settle_within(QUIET);
    assert_int_equal(c->calls, 1);
    noc_host_self = 1;
    lane_say_slow(&other[1], true);
    noc_host_self = 0;
    for (unsigned i = 0; i < 3; i++)
        patience_with_1();
    assert_int_equal(c->calls, 1);
    theirs_of(1)->slow = 0; /* no reader, then */
    patience_with_1();
    assert_true(!c->calls && c->result == -ETIMEDOUT);
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
        cmocka_unit_test(a_dead_cluster_is_noticed_in_time_whatever_the_master_does),
        cmocka_unit_test_setup(a_long_wait_for_a_living_cluster_asks_once_in_half_a_patience, setup),
        cmocka_unit_test_setup(a_slow_reader_is_waited_for_and_who_takes_nothing_is_not, setup),
        cmocka_unit_test_setup(who_waits_for_a_silent_cluster_has_an_end, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
