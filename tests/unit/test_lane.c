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
        err = lane_peek(at(to), LANE_MAILS, 0, &m);
    if (err)
        return err;
    assert_int_equal(m.kind, 0);
    assert_int_equal(m.to, 3);
    assert_int_equal(m.from, 4);
    assert_int_equal(m.size, sizeof(*word));
    memcpy(word, m.data, sizeof(*word));
    lane_take(at(to), LANE_MAILS, 0);
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
        l->row[LANE_MAILS].number = l->row[LANE_MAILS].next = to;
        l->notified = l->noticed = to;
        l->told = l->heard = l->asked = to;
        l->ours->news = l->ours->ask = l->ours->answer = to;
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

/* Whichever buffers they are in, and in which order these are given back. */
static void pages_are_told_once_and_in_their_order(void **state)
{
    struct lane_page told[LANE_BUFFERS];
    u32 seed = 1, sent = 0, taken = 0, mine = 0,
        theirs = 0; /* buffers that are sent, that are told and not given back */
    for (unsigned step = 0; step < 20000; step++) {
        seed = seed * 1664525 + 1013904223;
        struct dma_page page = { .size = (u16)(1 + sent % 4096), .buffer = seed >> 20 & 15 };
        u32 before = lane[0].seen.taken, which = theirs & seed >> 8;
        if (!(mine >> page.buffer & 1)) {
            assert_int_equal(lane_notify(at(0), sent & 0xff, sent, &page, 1), 1u << page.buffer);
            mine |= 1u << page.buffer;
            sent++;
        }
        if (seed >> 30)
            continue;
        look_at(at(1));
        int n = lane_take_notices(at(1), told);
        for (int i = 0; i < n; i++, taken++) {
            assert_true(told[i].of == taken && told[i].length == 1 + taken % 4096 && told[i].ports == (taken & 0xff));
            assert_false(theirs >> told[i].buffer & 1);
            theirs |= 1u << told[i].buffer;
        }
        assert_int_equal(theirs, mine);
        lane_give_back(at(1), which);
        theirs &= ~which;
        look_at(at(0));
        assert_int_equal(lane_given_back(at(0), before), which);
        mine &= ~which;
    }
    assert_true(taken > 3000);
}

static void no_word_of_the_protocol_looks_like_an_entry_of_a_page_table(void **state)
{
    for (unsigned i = 0; i < LANE_SLOTS; i++)
        send(0, 2 * i);
    for (u8 i = 0; i < LANE_BUFFERS; i++)
        lane_notify(at(0), 0xff, 2 * i, &(struct dma_page){ .size = 4096, .buffer = i }, 1);
    lane_ask(at(0));
    for (unsigned i = 0; i < NOC_OUTBOX; i += 4) {
        u32 word;
        memcpy(&word, noc_host_memory[0] + i, 4);
        assert_int_equal(word & 1, 0);
    }
}

static void places_that_cannot_be_are_an_error(void **state)
{
    const u32 wrong[] = { 1, LANE_SLOT_BITS + (1u << LANE_SLOT_AT), 0x80000000u, ~0u };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        setup(state);
        half_of(0, 1)->places.put = wrong[i];
        assert_int_equal(look_at(at(1)), -EBADMSG);
        setup(state);
        half_of(0, 1)->places.taken = wrong[i];
        assert_int_equal(look_at(at(1)), -EBADMSG);
    }
    struct lane_message m;
    struct lane_page page[LANE_BUFFERS];
    setup(state);
    half_of(0, 1)->places.put = LANE_SLOT_BITS; /* and nothing is there but the first one, perhaps */
    assert_int_equal(look_at(at(1)), 0);
    half_of(0, 1)->slot[0].head = 1u << 24;
    assert_int_equal(lane_peek(at(1), LANE_MAILS, 0, &m), 0);
    assert_int_equal(lane_peek(at(1), LANE_MAILS, 1, &m), -EBADMSG);
    setup(state);
    half_of(0, 1)->places.put = 1u << (LANE_BUFFER_AT + 3);
    half_of(0, 1)->notice[3].what = 1u << LANE_NOTICE_NUMBER;
    assert_int_equal(look_at(at(1)), 0);
    assert_int_equal(lane_take_notices(at(1), page), -EBADMSG);
    assert_int_equal(lane_take_notices(at(1), page), 0);
}

static void a_message_that_cannot_be_is_an_error(void **state)
{
    const struct lane_message wrong[] = {
        { .kind = 1, .size = 4 },          { .kind = LANE_KIND_LITTLE, .size = 4 },
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
        assert_int_equal(lane_peek(at(1), LANE_MAILS, 0, &m), -EBADMSG);
        assert_int_equal(lane_peek(at(1), LANE_MAILS, 0, &m), -EAGAIN);
    }
    setup(state);
    send(0, 1);
    half_of(0, 1)->slot[0].number = 2;
    assert_int_equal(look_at(at(1)), 0);
    assert_int_equal(lane_peek(at(1), LANE_MAILS, 0, &m), -EBADMSG);
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
    half_of(0, 1)->places.put = 1;
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
        cmocka_unit_test_setup(pages_are_told_once_and_in_their_order, setup),
        cmocka_unit_test_setup(no_word_of_the_protocol_looks_like_an_entry_of_a_page_table, setup),
        cmocka_unit_test_setup(places_that_cannot_be_are_an_error, setup),
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
