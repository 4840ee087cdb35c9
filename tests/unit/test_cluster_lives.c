/* SPDX-License-Identifier: MIT */
/*
 * What a cluster, a process or a port does not do (answer, live, read) keeps no other from going on, and nothing for
 * which 0 was answered is lost.
 */
#define NOC_HOST 6
#include "cluster_test.h"

/* Signals of a sync that cluster 1 does not take: its slots for them are used. */
static void fill_signals(s64 sync)
{
    for (unsigned i = 0; i < 2; i++, signals_heard(2)) /* only slots that seem used are looked at */
        while (!CALL(sync_signal, .id = (u16)sync))
            signals_heard(2);
}

static void one_silent_cluster_keeps_no_signal_from_the_others(void **state)
{
    s64 id = CALL(sync_open, .type = SYNC_ONE_TO_ALL, .size = 3, .data = (u8[]){ 0, 1, 2 });
    fill_signals(id);
    for (unsigned i = 0; i < 40; i++) { /* by words and by messages */
        struct comm c = { .id = (u16)id };
        assert_int_equal(serve(sync_signal, &c), REQUEST_PENDING);
        assert_int_equal(c.request.peers, 1u << 1);
        assert_int_equal(serve(sync_signal, &c), REQUEST_PENDING);
        assert_int_equal(signals_heard(2), 1);
    }
}

/* Cluster 1 is lost, before the signal or while it is told. The next life has not begun this sync with us. */
static void a_signal_says_that_a_cluster_was_lost_and_all_others_have_it(void **state)
{
    s64 id = CALL(sync_open, .type = SYNC_ONE_TO_ALL, .size = 3, .data = (u8[]){ 0, 1, 2 });
    for (unsigned during = 0; during < 2; during++) {
        struct comm c = { .id = (u16)id };
        if (during) {
            fill_signals(id);
            assert_int_equal(serve(sync_signal, &c), REQUEST_PENDING);
        }
        begin_life(1);
        look();
        assert_int_equal(serve(sync_signal, &c), -EIO);
        assert_int_equal(signals_heard(1), 0);
        assert_int_equal(signals_heard(2), 1);
        assert_int_equal(CALL(sync_signal, .id = (u16)id), 0); /* it is said once */
        assert_int_equal(signals_heard(1), 1);
        assert_int_equal(signals_heard(2), 1);
    }
}

static void a_wait_asks_all_that_are_missing_and_ends_with_the_loss_of_one(void **state)
{
    s64 id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 3, .data = (u8[]){ 0, 1, 2 });
    struct comm c = { .id = (u16)id };
    assert_int_equal(serve(sync_wait, &c), REQUEST_PENDING);
    assert_int_equal(c.request.peers, 1u << 1 | 1u << 2);
    begin_life(2);
    look();
    assert_int_equal(serve(sync_wait, &c), -EIO);
}

/* The names of syncs in which cluster 1 signals all others of a set, which cluster 0 is in. */
static u32 set_of(unsigned i) { return 3 | i << 2; }

static s64 make_set(unsigned i)
{
    u8 list[COMM_MESSAGE] __aligned(8) = { 1, 0 };
    u16 n = 2;
    for (u8 k = 2; k < NOC_HOST; k++)
        if (set_of(i) >> k & 1)
            list[n++] = k;
    return CALL(sync_create, .type = SYNC_ONE_TO_ALL, .size = n, .data = list);
}

static bool signal_set(unsigned from, unsigned i)
{
    const struct lane_message m = signal_of(SYNC_ONE_TO_ALL, 1, set_of(i));
    noc_host_self = from;
    look_at(&other[from]);
    bool sent = !lane_send(&other[from], &m);
    look();
    return sent;
}

static void an_early_signal_is_kept_or_its_sender_waits(void **state)
{
    unsigned sent = 0;
    while (sent < 8 && signal_set(1, sent))
        sent++;
    assert_in_range(sent, 5, 7); /* and the next one waits */
    for (unsigned i = 0; i < 8; i++) {
        s64 id = make_set(i);
        look();
        while (sent < 8 && signal_set(1, sent))
            sent++;
        struct comm c = { .id = (u16)id };
        assert_int_equal(serve(sync_wait, &c), 0);
        assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
        assert_int_equal(CALL(sync_close, .id = (u16)id), 0);
    }
}

/* Signals of cluster 1 that nobody wants hold nothing else up. */
static void an_early_signal_that_waits_lets_other_messages_pass(void **state)
{
    s64 box = CALL(mailbox_create, .port = 1), in = CALL(portal_create, .port = 4);
    struct comm c = { .id = (u16)box, .size = 4 }, page = { .id = (u16)in };
    for (unsigned i = 0; i < 8; i++)
        signal_set(1, i);
    assert_true(peers_held());
    say(1, &(struct lane_message){ .kind = MESSAGE_MAIL, .to = 1, .size = 4, .data = BYTES(7) });
    assert_int_equal(serve(mailbox_read, &c), 0);
    CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
    CALL(portal_aread, .id = (u16)in, .size = 60);
    say(1, &(struct lane_message){ .kind = MESSAGE_DATA, .to = 4, .from = 2, .size = 4, .data = BYTES(1, 50) });
    assert_int_equal(serve(portal_wait, &page), 0);
}

/* A signal of a life that is over, and of which no wait has heard, ends no wait. */
static void the_signals_of_a_lost_cluster_end_no_wait(void **state)
{
    struct lane_message all = signal_of(SYNC_ALL_TO_ONE, 0, 7);
    s64 made = make_set(0);
    for (unsigned i = 0; i < 3; i++) {
        signal_set(1, 0);
        signal_set(1, 1); /* before it is made */
    }
    say(1, &all); /* and this one: two clusters signal it */
    say(2, &all);
    begin_life(1);
    look();
    assert_int_equal(CALL(sync_wait, .id = (u16)made), -EIO);
    assert_int_equal(CALL(sync_wait, .id = (u16)made), REQUEST_PENDING);
    assert_int_equal(CALL(sync_wait, .id = (u16)make_set(1)), REQUEST_PENDING);
    s64 id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 3, .data = (u8[]){ 0, 1, 2 });
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
    say(1, &all); /* the new life's; cluster 2's is there */
    assert_int_equal(CALL(sync_wait, .id = (u16)id), 0);
    signal_set(1, 0);
    assert_int_equal(CALL(sync_wait, .id = (u16)made), 0);
    assert_int_equal(CALL(sync_wait, .id = (u16)made), REQUEST_PENDING);
}

static void each_early_record_of_a_lost_cluster_is_free_again(void **state)
{
    for (unsigned life = 0; life < 40; life++) {
        for (unsigned i = 0; i < 4; i++)
            assert_true(signal_set(1, i));
        assert_false(peers_held());
        begin_life(1);
        look();
    }
}

static void every_signal_that_was_sent_as_a_message_ends_a_wait(void **state)
{
    s64 id = make_set(0);
    unsigned sent = 0, waits = 0;
    while (sent < 300 && signal_set(1, 0))
        sent++;
    assert_in_range(sent, 256, 299); /* the next one waits */
    for (struct comm c = { .id = (u16)id }; !serve(sync_wait, &c); waits++)
        look();
    assert_int_equal(waits, sent);
}

/* Make one of 80 syncs: one of five clusters signals this one and some of the others. */
static s64 make_any(u32 i)
{
    u8 list[COMM_MESSAGE] __aligned(8) = { (u8)(1 + i / 16), 0 };
    u16 n = 2;
    for (u8 k = 1; k < NOC_HOST; k++)
        if (k != list[0] && i >> (k - (k > list[0]) - 1) & 1)
            list[n++] = k;
    return CALL(sync_create, .type = SYNC_ONE_TO_ALL, .size = n, .data = list);
}

/* What others signal early takes no record that a process may have. */
static void early_signals_of_others_take_no_sync_of_a_process(void **state)
{
    for (unsigned from = 1; from < NOC_HOST; from++)
        for (u32 rest = 0; rest < 8; rest++) {
            const struct lane_message m = signal_of(SYNC_ONE_TO_ALL, (u8)from, 1 | 1u << from | rest << 2);
            noc_host_self = from;
            look_at(&other[from]);
            lane_send(&other[from], &m);
            look();
        }
    unsigned made = 0;
    for (u32 i = 0; i < 80; i++)
        made += make_any(i) >= 0;
    assert_int_equal(made, COMM_SYNCS);
}

/* Cluster 1 sends mails to a port of cluster 0 that nobody has, and its slots for mails are full for good. */
static void mails_that_nobody_reads_hold_up_no_signal(void **state)
{
    s64 sync = make_set(0);
    const struct lane_message mail = { .kind = MESSAGE_MAIL, .to = 15, .size = 4, .data = BYTES(1) };
    for (unsigned i = 0; i < 100; i++) {
        noc_host_self = 1;
        look_at(&other[1]);
        lane_send(&other[1], &mail);
        look();
    }
    assert_true(peers_held());
    for (unsigned i = 0; i < 40; i++) {
        assert_true(signal_set(1, 0));
        assert_int_equal(CALL(sync_wait, .id = (u16)sync), 0);
    }
}

/* Write a page to a port of cluster 1, whose kernel knows it. Returns whether there was a buffer. */
static bool write_page(s64 id, u16 owner)
{
    struct comm c = { .owner = owner, .id = (u16)id, .size = 1 };
    if (serve(portal_begin, &c))
        return false;
    assert_int_equal(serve(portal_send, &c), 0);
    assert_int_equal(CALL(portal_wait, .owner = owner, .id = (u16)id), 0);
    for (unsigned n = 1; n < 3; n++) {
        struct lane_message m;
        noc_host_self = n;
        look_at(&other[n]);
        while (!lane_peek(&other[n], &m))
            lane_take(&other[n]);
    }
    look();
    return true;
}

#define SECOND (OWNER + 1)

/* A process that began later, or that has fewer, has its share of everything. */
static void a_process_has_no_more_than_its_share(void **state)
{
    n_domains = 2;
    unsigned boxes = 0, ports = 0, portals = 0, syncs = 0, pages = 0;
    for (u16 p = 0; p < COMM_PORTS; p++)
        ports += CALL(mailbox_create, .port = p) >= 0;
    for (u16 node = 0; node < NOC_HOST; node++)
        while (CALL(mailbox_open, .node = node) >= 0)
            boxes++;
    for (u16 node = 0; node < NOC_HOST; node++)
        while (CALL(portal_open, .node = node) >= 0)
            portals++;
    for (u32 i = 0; i < 80; i++)
        syncs += make_any(i) >= 0;
    assert_int_equal(ports, COMM_PORTS / 2);
    assert_int_equal(ports + boxes, COMM_MAILBOXES / 2);
    assert_int_equal(portals, COMM_PORTALS / 2);
    assert_int_equal(syncs, COMM_SYNCS / 2);
    while (write_page(0, OWNER))
        pages++;
    assert_in_range(pages, 3, 16 / 2);
    s64 out = CALL(portal_open, .owner = SECOND, .node = 1, .port = 3);
    assert_true(CALL(mailbox_create, .owner = SECOND, .port = 15) >= 0);
    assert_true(CALL(mailbox_open, .owner = SECOND, .node = 1) >= 0);
    assert_true(CALL(sync_create, .owner = SECOND, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 }) >= 0);
    assert_true(write_page(out, SECOND) && write_page(out, SECOND));
    mailbox_close_all(SECOND);
    sync_close_all(SECOND);
    portal_close_all(SECOND);
    n_domains = 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_silent_cluster_keeps_no_signal_from_the_others),
        TEST(a_signal_says_that_a_cluster_was_lost_and_all_others_have_it),
        TEST(a_wait_asks_all_that_are_missing_and_ends_with_the_loss_of_one),
        TEST(an_early_signal_is_kept_or_its_sender_waits),
        TEST(an_early_signal_that_waits_lets_other_messages_pass),
        TEST(the_signals_of_a_lost_cluster_end_no_wait),
        TEST(each_early_record_of_a_lost_cluster_is_free_again),
        TEST(every_signal_that_was_sent_as_a_message_ends_a_wait),
        TEST(early_signals_of_others_take_no_sync_of_a_process),
        TEST(mails_that_nobody_reads_hold_up_no_signal),
        TEST(a_process_has_no_more_than_its_share),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
