/* SPDX-License-Identifier: MIT */
/* Messages between two clusters whose caches are not coherent, and a peer that lies, restarts or dies. */
#include "lane_test.h"

static int send(unsigned from, u32 word)
{
    const u64 data = word;
    struct lane_message m = { .kind = 0, .to = 3, .from = 4, .size = sizeof(word), .data = (const u8 *)&data };
    return lane_send(at(from), &m);
}

/* What has come, or an error. */
static int take(unsigned to, u32 *word)
{
    struct lane_message m;
    int err = look_at(at(to));
    if (!err)
        err = lane_peek(at(to), &m);
    if (err)
        return err;
    assert_int_equal(m.kind, 0);
    assert_int_equal(m.to, 3);
    assert_int_equal(m.from, 4);
    assert_int_equal(m.size, sizeof(*word));
    memcpy(word, m.data, sizeof(*word));
    lane_take(at(to));
    return 0;
}

static void messages_arrive_once_and_in_order(void **state)
{
    u32 word;
    for (u32 i = 0; i < 100; i++) {
        for (u32 k = 0; k < 1 + i % LANE_SLOTS; k++)
            assert_int_equal(send(0, i * 10 + k), 0);
        for (u32 k = 0; k < 1 + i % LANE_SLOTS; k++) {
            assert_int_equal(take(1, &word), 0);
            assert_int_equal(word, i * 10 + k);
        }
        assert_int_equal(take(1, &word), -EAGAIN);
        look_at(at(0));
    }
}

static void a_full_lane_refuses_and_the_sender_is_rung_when_there_is_room(void **state)
{
    u32 word;
    for (unsigned i = 0; i < LANE_SLOTS; i++)
        assert_int_equal(send(0, i), 0);
    assert_int_equal(send(0, 9), -EAGAIN);
    unsigned rings = noc_host_rings[0];
    for (unsigned i = 0; i < LANE_SLOTS; i++)
        assert_int_equal(take(1, &word), 0);
    assert_true(noc_host_rings[0] > rings);
    assert_int_equal(look_at(at(0)), 0);
    assert_int_equal(send(0, 9), 0);
}

/* Let both ends have exchanged so many messages, signals and news. */
static void wind(u32 to)
{
    for (unsigned i = 0; i < 2; i++) {
        struct lane *l = at(i);
        l->sent = l->acknowledged = l->taken = l->peer_sent = to;
        l->told = l->heard = l->asked = to;
        l->ours->sent = l->ours->taken = l->ours->news = l->ours->ask = l->ours->answer = to;
        l->answer = to;
        for (unsigned k = 0; k < LANE_SIGNALS; k++)
            l->ours->signal[k] = l->signalled[k] = to;
        noc_clean_line(l->ours);
    }
    finish_all();
}

/* 72 minutes at a million a second. */
static void all_numbers_of_a_lane_come_round(void **state)
{
    static const u32 late[] = { 0x7ffffff0, 0x7ffffffe, 0xffffffc0, 0xfffffff0, 0xfffffff8, 0xfffffffe };
    for (unsigned i = 0; i < ARRAY_SIZE(late); i++) {
        wind(late[i]);
        messages_arrive_once_and_in_order(state);
        wind(late[i]);
        a_full_lane_refuses_and_the_sender_is_rung_when_there_is_room(state);
        for (u32 word, n = 0; n < LANE_SLOTS; n++)
            take(1, &word);
        look_at(at(0));
        for (unsigned n = 0; n < 20; n++) {
            for (unsigned k = 0; k <= n % 4; k++)
                assert_true(lane_signal(at(0), 1));
            for (unsigned k = 0; k <= n % 4; k++)
                assert_true(lane_take_signal(at(1), 1));
            assert_false(lane_take_signal(at(1), 1));
            lane_ask(at(0));
            assert_true(lane_asked_at(at(0)));
            finish_all();
            assert_false(lane_asked_at(at(0)));
        }
    }
}

static void no_word_of_the_protocol_looks_like_an_entry_of_a_page_table(void **state)
{
    for (unsigned i = 0; i < LANE_SLOTS; i++)
        send(0, 2 * i);
    lane_ask(at(0));
    for (unsigned i = 0; i < NOC_OUTBOX; i += 4) {
        u32 word;
        memcpy(&word, noc_host_memory[0] + i, 4);
        assert_int_equal(word & 1, 0);
    }
}

static void counts_that_cannot_be_are_an_error(void **state)
{
    const u32 wrong[] = { 1, 2 * LANE_SLOTS + 2, 0x80000000u, ~0u };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        setup(state);
        half_of(0, 1)->sent = wrong[i];
        assert_int_equal(look_at(at(1)), -EBADMSG);
        setup(state);
        half_of(0, 1)->taken = wrong[i];
        assert_int_equal(look_at(at(1)), -EBADMSG);
    }
    setup(state);
    half_of(0, 1)->sent = 2 * LANE_SLOTS;
    assert_int_equal(look_at(at(1)), 0);
    half_of(0, 1)->sent = 2 * LANE_SLOTS + 2; /* nothing was taken */
    assert_int_equal(look_at(at(1)), -EBADMSG);
}

static void a_message_that_cannot_be_is_an_error(void **state)
{
    const struct lane_message wrong[] = {
        { .kind = 1, .size = 4 },          { .kind = 2 * LANE_KINDS, .size = 4 },
        { .kind = 0x80, .size = 4 },       { .to = LANE_PORTS, .size = 4 },
        { .from = LANE_PORTS, .size = 4 }, { .to = 0x80, .size = 4 },
        { .from = 0x80, .size = 4 },       { .size = 0 },
        { .size = LANE_DATA + 1 },         { .size = 0xff },
    };
    struct lane_message m;
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        setup(state);
        send(0, 1);
        half_of(0, 1)->slot[0].head = wrong[i].head;
        assert_int_equal(look_at(at(1)), 0);
        assert_int_equal(lane_peek(at(1), &m), -EBADMSG);
        assert_int_equal(lane_peek(at(1), &m), -EAGAIN);
    }
    setup(state);
    send(0, 1);
    half_of(0, 1)->slot[0].number = 2;
    assert_int_equal(look_at(at(1)), 0);
    assert_int_equal(lane_peek(at(1), &m), -EBADMSG);
}

static void a_peer_that_restarts_is_said_once_and_talks_again(void **state)
{
    u32 word;
    send(0, 1);
    begin_life_of_0();
    assert_int_equal(take(1, &word), -EIO);
    assert_int_equal(take(1, &word), -EAGAIN);
    finish_all();
    assert_int_equal(send(0, 2), 0);
    assert_int_equal(take(1, &word), 0);
    assert_int_equal(word, 2);
}

static void a_lie_ends_a_life_of_the_lane_and_not_the_lane(void **state)
{
    u32 word;
    half_of(0, 1)->sent = 1;
    assert_int_equal(look_at(at(1)), -EBADMSG);
    finish_all();
    assert_int_equal(send(0, 2), 0);
    assert_int_equal(take(1, &word), 0);
    assert_int_equal(word, 2);
}

static void a_question_is_answered_by_who_is_there(void **state)
{
    host_now = 1000;
    lane_ask(at(0));
    assert_int_equal(look_at(at(0)), 0);
    assert_true(lane_asked_at(&lane[0]) >= 1000);
    look_at(at(1));
    look_at(at(0));
    assert_int_equal(lane_asked_at(&lane[0]), 0);
}

/* A clock of 10 MHz has the same 31 bits each 214 s. */
static void no_life_has_a_number_of_one_before(void **state)
{
    u32 word, before = half_of(0, 1)->epoch;
    send(0, 1);
    host_now += 1ull << 31;
    begin_life_of_0();
    assert_int_not_equal(half_of(0, 1)->epoch, before);
    assert_int_equal(take(1, &word), -EIO);
    noc_host_life[0] = lane[1].heard_of = LIFE_MASK - 2;
    for (unsigned i = 0; i < 4; i++) { /* over the end of its bits */
        begin_life_of_0();
        finish_all();
        assert_int_equal(send(0, 2), 0);
        assert_int_equal(take(1, &word), 0);
    }
}

/* Its successor must not find messages counted that were not taken, however often it was given up. */
static void a_peer_that_was_silent_for_long_finds_no_number_of_before(void **state)
{
    u32 word, before = half_of(0, 1)->epoch;
    for (unsigned i = 0; i < 1000; i++) {
        lane_give_up(at(0));
        look_at(at(0));
        assert_int_not_equal(half_of(0, 1)->epoch, before);
    }
    assert_int_equal(take(1, &word), -EIO);
    finish_all();
    assert_int_equal(send(0, 2), 0);
    assert_int_equal(take(1, &word), 0);
}

static void what_a_former_life_says_is_dropped_and_counted(void **state)
{
    u32 word, former = half_of(0, 1)->epoch, dropped = lanes_dropped;
    begin_life_of_0();
    assert_int_equal(take(1, &word), -EIO);
    finish_all();
    u32 now = half_of(0, 1)->epoch;
    half_of(0, 1)->epoch = former;
    for (unsigned i = 1; i < 5; i++) {
        assert_int_equal(take(1, &word), -EAGAIN);
        assert_int_equal(lanes_dropped, dropped + i);
        assert_int_equal(half_of(1, 0)->echo, now);
    }
    half_of(0, 1)->epoch = now;
    assert_int_equal(send(0, 2), 0);
    assert_int_equal(take(1, &word), 0);
}

/* A life that lies about its number must not make its successor dumb. */
static void a_life_that_stays_is_heard_whatever_the_one_before_has_said(void **state)
{
    u32 word, lie = half_of(0, 1)->epoch + (1000u << 8);
    half_of(0, 1)->epoch = lie;
    assert_int_equal(take(1, &word), -EIO);
    begin_life_of_0();
    assert_int_equal(take(1, &word), -EAGAIN);
    assert_int_equal(half_of(1, 0)->echo, lie);
    host_now += noc_patience() + 1;
    take(1, &word);
    finish_all();
    assert_int_equal(send(0, 2), 0);
    assert_int_equal(take(1, &word), 0);
}

/* Rings between two that are right come to an end. */
static void nobody_rings_without_a_reason(void **state)
{
    finish_all();
    unsigned rings = noc_host_rings[0] + noc_host_rings[1];
    for (unsigned i = 0; i < 20; i++)
        look_at(at(i % 2));
    assert_int_equal(noc_host_rings[0] + noc_host_rings[1], rings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(messages_arrive_once_and_in_order, setup),
        cmocka_unit_test_setup(a_full_lane_refuses_and_the_sender_is_rung_when_there_is_room, setup),
        cmocka_unit_test_setup(all_numbers_of_a_lane_come_round, setup),
        cmocka_unit_test_setup(no_word_of_the_protocol_looks_like_an_entry_of_a_page_table, setup),
        cmocka_unit_test_setup(counts_that_cannot_be_are_an_error, setup),
        cmocka_unit_test_setup(a_message_that_cannot_be_is_an_error, setup),
        cmocka_unit_test_setup(a_peer_that_restarts_is_said_once_and_talks_again, setup),
        cmocka_unit_test_setup(a_lie_ends_a_life_of_the_lane_and_not_the_lane, setup),
        cmocka_unit_test_setup(a_question_is_answered_by_who_is_there, setup),
        cmocka_unit_test_setup(no_life_has_a_number_of_one_before, setup),
        cmocka_unit_test_setup(a_peer_that_was_silent_for_long_finds_no_number_of_before, setup),
        cmocka_unit_test_setup(what_a_former_life_says_is_dropped_and_counted, setup),
        cmocka_unit_test_setup(a_life_that_stays_is_heard_whatever_the_one_before_has_said, setup),
        cmocka_unit_test_setup(nobody_rings_without_a_reason, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
