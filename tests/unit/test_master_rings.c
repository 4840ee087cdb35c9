/* SPDX-License-Identifier: MIT */
/* Rings of other clusters: a ring is a hint, the master's work for one is bounded, and a cluster that rings without
 * end, sends without end or lies in every word takes nothing from the callers but that work. */
#include "master_test.h"

/* Of rings that bring nothing the master takes so many in a time (ns), and then none until it is over: four, and one
 * that comes while it looks for the fourth. */
#define RINGS 5
#define TIME  100000

static void a_ring_without_news_is_one_look(void **state)
{
    noc_ring(0);
    settle_within(QUIET);
    assert_int_equal(polls, 1);
    assert_true(delivered == 0 && master_sleeps());
}

static void rings_before_it_looks_change_nothing(void **state)
{
    for (unsigned i = 0; i < 1000; i++)
        noc_ring(0);
    settle_within(QUIET);
    assert_int_equal(polls, 1);
}

static void a_ring_wakes_the_master_and_no_other_core(void **state)
{
    noc_rang(); /* this is another core */
    settle_within(QUIET);
    assert_int_equal(polls, 0);
    arrive_at(1, at_once);
    TURNS_UNTIL(polls, 100, 0) /* a wake-up of this cluster's own may be a ring of another */
    assert_false(master_sleeps());
    noc_ring(0); /* it is awake, and takes this one without a wake-up, which has a lock */
    for (unsigned i = 0; polls < 2; i++) {
        assert_true(i < 200);
        step(0);
        assert_false(master->wakeup);
    }
    settle_within(QUIET);
    assert_int_equal(polls, 2);
}

static void a_ring_is_worth_at_most_the_slots_of_each_lane(void **state)
{
    send_as(1, 100);
    send_as(2, 100);
    settle_within(QUIET);
    assert_int_equal(delivered, 2 * LANE_SLOTS);
    assert_in_range(polls, 1, 3); /* a message may wake a call, so it looks once more */
    send_as(1, 100);
    settle_within(QUIET);
    assert_int_equal(delivered, 3 * LANE_SLOTS);
}

/* Fills its lane anew with each message that is taken. */
static void sends_on(unsigned from) { send_as(from, LANE_SLOTS); }

/* All that the master may do before it serves who arrives: one look, and what both lanes hold. */
static void a_neighbour_that_sends_without_end_holds_nobody_up(void **state)
{
    on_delivery = sends_on;
    send_as(1, LANE_SLOTS);
    send_as(2, LANE_SLOTS);
    TURNS_UNTIL(delivered >= 100, 20000, 0)
    for (unsigned i = 0; i < 20; i++) {
        struct caller *c = arrive_at(1 + i % 5, at_once);
        unsigned before = delivered, looks = polls;
        served[0] = '\0';
        TURNS_UNTIL(*served, 500, 0)
        assert_true(delivered - before <= 2 * LANE_SLOTS && polls - looks <= 1);
        TURNS_UNTIL(!c->calls, 50, 0, 1 + i % 5)
        thread_discard(c->thread);
    }
    on_delivery = NULL;
    settle_within(QUIET);
}

/* Turns for all cores, with a ring in each round. */
static void storm(unsigned periods)
{
    for (ticks_t end = host_now + periods * TIME; host_now < end;) {
        noc_ring(0);
        for (unsigned i = 0; i < CORES; i++)
            step(i);
    }
}

static void a_storm_of_rings_takes_a_bounded_part_of_the_master(void **state)
{
    const unsigned periods = 10;
    storm(periods);
    assert_in_range(polls, RINGS, RINGS * (periods + 1));
    start(1, at_once, 1000);
    storm(periods);
    assert_true(strlen(served) > periods);
    assert_true(callers[1].longest < TIME + TIME / 5);
    callers[1].calls = 1;
    host_now += TIME;
    settle_within(QUIET);
    assert_true(!deferred && master_sleeps());
}

static bool counts(bool found)
{
    static u32 last;
    noc_poll(noc_outbox_of(2));
    u32 sum = peer_signals_glimpse(2);
    found |= sum != last && !peer_signals_pile_up(2, sum);
    last = sum;
    polls++;
    return found;
}

/* Nobody takes them. A few may come before they are waited for, as at a barrier; the rest are vain. */
static void a_storm_of_counted_signals_is_as_vain_as_its_rings(void **state)
{
    static const struct peer_part counting = { .deliver = deliver, .lost = lose, .signals = counts };
    const unsigned periods = 10;
    peer_listen(MESSAGE_MAIL, &counting);
    for (ticks_t end = host_now + periods * TIME; host_now < end;) {
        ((struct lane_half *)noc_host_memory[2])->signal[0] += LANE_STEP;
        noc_ring(0);
        for (unsigned i = 0; i < CORES; i++)
            step(i);
    }
    assert_in_range(polls, RINGS, RINGS * (periods + 1) + LANE_SLOTS);
}

/* Its receiver has no room: it stays in its lane, and comes when a call has changed something, without another ring of
 * its sender or of a core that wakes the master. */
static void a_message_that_waits_comes_without_another_ring(void **state)
{
    room = false;
    send_as(1, 2);
    settle_within(QUIET);
    assert_true(delivered == 0 && peers_held() && master_sleeps());
    arrive_at(1, at_once);
    polls = 0;
    TURNS_UNTIL(polls, 200, 0)
    room = true;
    unsigned rings = host_ipis_to[0];
    arrive_at(2, at_once);
    settle_within(QUIET);
    assert_int_equal(host_ipis_to[0], rings);
    assert_int_equal(delivered, 2);
}

static void a_word_that_cannot_be_is_a_loss_that_is_told_once(void **state)
{
    struct lane_half *theirs = (struct lane_half *)noc_host_memory[1];
    theirs->places.put++;
    theirs->news += LANE_STEP;
    noc_ring(0);
    settle_within(QUIET);
    assert_true(peer_watch_lost(&losses, 1) && !peer_watch_lost(&losses, 1) && !peer_watch_lost(&losses, 2));
    send_as(2, 1);
    settle_within(QUIET);
    assert_int_equal(delivered, 1);
}

static u32 rubbish_state;
static u32 rubbish(void)
{
    rubbish_state = rubbish_state * 1664525 + 1013904223;
    return rubbish_state >> 16 | rubbish_state << 16;
}

/* A word that cannot be, or one that nearly can. */
static void lie_in_a_word(unsigned from)
{
    struct lane_half *theirs = (struct lane_half *)noc_host_memory[from];
    const struct lane_half *ours = (const struct lane_half *)noc_host_memory[0] + from;
    u32 *word = (u32 *)theirs + rubbish() % (sizeof(*theirs) / 4);
    if (rubbish() % 4)
        word = (u32 *)theirs + rubbish() % (offsetof(struct lane_half, slot) / 4);
    *word = rubbish() % 3 ? *word + rubbish() % 40 : rubbish();
    if (rubbish() % 4 == 0)
        theirs->echo = ours->epoch;
    if (rubbish() % 4 == 0) { /* a message with all right but its head */
        unsigned i = rubbish() % LANE_SLOTS;
        theirs->slot[i].number = rubbish() % 20 * LANE_STEP;
        theirs->slot[i].head = rubbish();
        theirs->places.put = ours->places.taken ^ 1u << (i + LANE_SLOT_AT);
    }
    theirs->news += LANE_STEP;
    noc_ring(0);
}

/* Both clusters write what they like where they like. Callers are served as they come, the master rests when they
 * stop, and a cluster that starts again is heard, after a while if its former life has said a later one. */
static void words_that_cannot_be_hold_nobody_up(void **state)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        setup(state);
        rubbish_state = seed;
        for (unsigned i = 1; i < 4; i++)
            start(i, at_once, 20);
        unsigned n = 0;
        while (callers[1].calls || callers[2].calls || callers[3].calls) {
            assert_true(n++ < 20000);
            lie_in_a_word(1 + rubbish() % 2);
            for (unsigned i = 0; i < CORES; i++)
                step(i);
        }
        assert_string_equal(served, arrivals_seen);
        host_now += TIME;
        settle_within(QUIET);
        assert_true(master_sleeps());
        host_now += TIME;
        others_start();
        host_now += noc_patience();
        others_start();
        delivered = 0;
        send_as(1, 3);
        settle_within(QUIET);
        assert_int_equal(delivered, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_ring_without_news_is_one_look, setup),
        cmocka_unit_test_setup(rings_before_it_looks_change_nothing, setup),
        cmocka_unit_test_setup(a_ring_wakes_the_master_and_no_other_core, setup),
        cmocka_unit_test_setup(a_ring_is_worth_at_most_the_slots_of_each_lane, setup),
        cmocka_unit_test_setup(a_neighbour_that_sends_without_end_holds_nobody_up, setup),
        cmocka_unit_test_setup(a_storm_of_rings_takes_a_bounded_part_of_the_master, setup),
        cmocka_unit_test_setup(a_storm_of_counted_signals_is_as_vain_as_its_rings, setup),
        cmocka_unit_test_setup(a_message_that_waits_comes_without_another_ring, setup),
        cmocka_unit_test_setup(a_word_that_cannot_be_is_a_loss_that_is_told_once, setup),
        cmocka_unit_test(words_that_cannot_be_hold_nobody_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
