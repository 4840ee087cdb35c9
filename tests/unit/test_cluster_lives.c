/* SPDX-License-Identifier: MIT */
/*
 * What a cluster, a process or a port does not do (answer, live, read) keeps no other from going on, and nothing for
 * which 0 was answered is lost.
 */
#define NOC_HOST 6
#include "cluster_test.h"

static void say_page(unsigned from, unsigned to, unsigned own, unsigned buffer, unsigned length)
{
    const u8 *data = kept(BYTES((u8)buffer, (u8)length));
    say(from, &(struct lane_message){ .kind = MESSAGE_DATA, .to = (u8)to, .from = (u8)own, .size = 4, .data = data });
}

static void say_done(unsigned from, u32 buffers)
{
    const u8 *data = kept(BYTES((u8)buffers, (u8)(buffers >> 8)));
    say(from, &(struct lane_message){ .kind = MESSAGE_DONE, .size = 2, .data = data });
}

/* A cluster gives back what it is asked for. */
static void give_back(unsigned from)
{
    noc_host_self = from;
    look_at(&other[from]);
    assert_true(lane_wanted_back(&other[from]));
    lane_give_back(&other[from], lane_wanted_back(&other[from]));
    look();
    assert_false(lane_wanted_back(&other[from]));
}

/* An honest cluster leaves a slot for who sends to another port. */
static bool leaves_room(const struct lane *l)
{
    u32 free = lane_free(l) & LANE_SLOT_BITS;
    return free & (free - 1);
}

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

/* The leader of a barrier of three, whose wait ends with the death of cluster 1. The next life's signal and that of
 * cluster 2, which came before, end its next wait, if it is there already or not. A release says once that a cluster
 * was lost, which is then there to be told. */
static void a_barrier_goes_on_with_the_next_life_of_a_member(void **state)
{
    const struct lane_message all = signal_of(SYNC_ALL_TO_ONE, 0, 7);
    s64 gather = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 3, .data = (u8[]){ 0, 1, 2 });
    s64 release = CALL(sync_open, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 1, 0 });
    for (unsigned waits = 0; waits < 2; waits++) {
        struct comm dies = { .id = (u16)gather }, c = dies;
        assert_int_equal(serve(sync_wait, &dies), REQUEST_PENDING);
        say(2, &all);
        begin_life(1);
        look();
        assert_int_equal(serve(sync_wait, &dies), -EIO);
        if (waits)
            assert_int_equal(serve(sync_wait, &c), REQUEST_PENDING);
        say(1, &all);
        assert_int_equal(serve(sync_wait, &c), 0);
        assert_int_equal(CALL(sync_signal, .id = (u16)release), -EIO);
        assert_int_equal(signals_heard(1), 0);
        assert_int_equal(CALL(sync_signal, .id = (u16)release), 0);
        assert_int_equal(signals_heard(1), 1);
    }
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
    say_page(1, 4, 2, 1, 50);
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

/* Cluster 1 sends mails to a port of cluster 0 that nobody has, until it may send no more of them. */
static void flood(void)
{
    const struct lane_message mail = { .kind = MESSAGE_MAIL, .to = 15, .size = 4, .data = BYTES(1) };
    for (unsigned i = 0; i < 100; i++) {
        noc_host_self = 1;
        look_at(&other[1]);
        if (leaves_room(&other[1]))
            lane_send(&other[1], &mail);
        look();
    }
    assert_true(peers_held());
}

static void mails_that_nobody_reads_hold_up_no_signal(void **state)
{
    s64 sync = make_set(0);
    flood();
    for (unsigned i = 0; i < 40; i++) {
        assert_true(signal_set(1, 0));
        assert_int_equal(CALL(sync_wait, .id = (u16)sync), 0);
    }
}

static u32 written; /* the buffers of the last page */

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
        if (hear_pages(&other[n], &m))
            written = 1u << m.data[0];
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

static void mails_that_nobody_reads_hold_up_no_mail_for_another_port(void **state)
{
    s64 box = CALL(mailbox_create, .port = 1);
    flood();
    for (u8 i = 0; i < 40; i++) {
        struct comm c = { .id = (u16)box, .size = 4 };
        assert_int_equal(serve(mailbox_read, &c), REQUEST_PENDING);
        say(1, &(struct lane_message){ .kind = MESSAGE_MAIL, .to = 1, .size = 4, .data = kept(BYTES(i)) });
        assert_int_equal(serve(mailbox_read, &c), 0);
    }
}

/* The pool has no room for it, so it waits in its slot: who comes to read it has it looked at once more. */
static void a_mail_that_waits_in_its_slot_is_there_for_who_comes_to_read_it(void **state)
{
    s64 box = CALL(mailbox_create, .port = 1);
    const struct lane_message mail = { .kind = MESSAGE_MAIL, .to = 15, .size = 4, .data = BYTES(1) };
    while (!peers_held())
        say(1, &mail);
    say(1, &(struct lane_message){ .kind = MESSAGE_MAIL, .to = 1, .size = 4, .data = BYTES(7) });
    struct comm c = { .id = (u16)box, .size = 4 };
    agains = 0;
    assert_int_equal(serve(mailbox_read, &c), REQUEST_PENDING);
    assert_true(agains); /* nobody rings */
    peers_poll();
    assert_int_equal(serve(mailbox_read, &c), 0);
}

static void mails_that_nobody_reads_hold_up_no_page(void **state)
{
    s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .node = 1, .port = 3);
    flood();
    for (unsigned i = 0; i < 40; i++) {
        struct comm c = { .id = (u16)in };
        CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
        CALL(portal_aread, .id = (u16)in, .size = 60);
        say_page(1, 4, 2, i % 4, 50);
        assert_int_equal(serve(portal_wait, &c), 0);
        assert_int_equal(CALL(portal_taken, .id = (u16)in), 0);
        assert_true(write_page(out, OWNER));
        say_done(1, written);
    }
}

/* Cluster 1 takes no mail for port 15. */
static void mails_that_nobody_takes_keep_no_other_process_and_no_other_port_from_sending(void **state)
{
    n_domains = 2;
    s64 dead = CALL(mailbox_open, .node = 1, .port = 15), alive = CALL(mailbox_open, .node = 1, .port = 1);
    s64 others = CALL(mailbox_open, .owner = SECOND, .node = 1, .port = 15);
    unsigned sent = 0;
    while (!CALL(mailbox_write, .id = (u16)dead, .size = 1))
        sent++;
    assert_in_range(sent, 4, LANE_SLOTS);
    assert_int_equal(CALL(mailbox_write, .id = (u16)alive, .size = 1), 0);
    assert_int_equal(CALL(mailbox_write, .owner = SECOND, .id = (u16)others, .size = 1), 0);
    mailbox_close_all(SECOND);
    n_domains = 1;
}

/* Pages for a port that nobody has outlive their writer. All buffers may be those of a cluster's only process. */
static void the_pages_of_a_former_life_keep_its_next_one_from_no_write(void **state)
{
    s64 out = CALL(portal_open, .node = 1, .port = 9);
    unsigned pages = 0;
    while (write_page(out, OWNER))
        pages++;
    assert_in_range(pages, 3, 16);
    portal_close_all(OWNER);
    process_ends(OWNER);
    out = CALL(portal_open, .node = 1, .port = 3);
    for (unsigned i = 0; i < pages; i++) {
        struct comm c = { .id = (u16)out, .size = 1 };
        assert_int_equal(serve(portal_begin, &c), REQUEST_PENDING);
        give_back(1);
        assert_true(write_page(out, OWNER));
    }
}

/* Of cluster 1, which wants both back. */
static void a_page_that_its_writer_wants_back_is_dropped_and_counted_unless_it_is_being_read(void **state)
{
    s64 in = CALL(portal_create, .port = 4);
    struct comm c = { .id = (u16)in };
    for (unsigned i = 0; i < 3; i++)
        say_page(1, 4, 2, i, 50);
    CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
    CALL(portal_aread, .id = (u16)in, .size = 60);
    assert_int_equal(serve(portal_wait, &c), 0);
    u32 dropped = lanes_dropped;
    noc_host_self = 1;
    lane_want_back(&other[1], 3); /* the third one is to stay */
    look();
    assert_int_equal(lanes_dropped, dropped + 1);
    assert_int_equal(heard_back(1), 1 << 1);
    assert_int_equal(CALL(portal_taken, .id = (u16)in), 0);
    look();
    assert_int_equal(heard_back(1), 1 << 0);
    assert_int_equal(lane_wanted_back(&other[1]), 0);
    CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
    CALL(portal_aread, .id = (u16)in, .size = 60);
    assert_int_equal(serve(portal_wait, &c), 0);
    assert_int_equal((const u8 *)c.room - (const u8 *)noc_outbox_of(1), portal_buffer_at(2));
    CALL(portal_taken, .id = (u16)in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_silent_cluster_keeps_no_signal_from_the_others),
        TEST(a_signal_says_that_a_cluster_was_lost_and_all_others_have_it),
        TEST(a_wait_asks_all_that_are_missing_and_ends_with_the_loss_of_one),
        TEST(a_barrier_goes_on_with_the_next_life_of_a_member),
        TEST(an_early_signal_is_kept_or_its_sender_waits),
        TEST(an_early_signal_that_waits_lets_other_messages_pass),
        TEST(the_signals_of_a_lost_cluster_end_no_wait),
        TEST(each_early_record_of_a_lost_cluster_is_free_again),
        TEST(every_signal_that_was_sent_as_a_message_ends_a_wait),
        TEST(early_signals_of_others_take_no_sync_of_a_process),
        TEST(mails_that_nobody_reads_hold_up_no_signal),
        TEST(a_process_has_no_more_than_its_share),
        TEST(mails_that_nobody_reads_hold_up_no_mail_for_another_port),
        TEST(a_mail_that_waits_in_its_slot_is_there_for_who_comes_to_read_it),
        TEST(mails_that_nobody_reads_hold_up_no_page),
        TEST(mails_that_nobody_takes_keep_no_other_process_and_no_other_port_from_sending),
        TEST(the_pages_of_a_former_life_keep_its_next_one_from_no_write),
        TEST(a_page_that_its_writer_wants_back_is_dropped_and_counted_unless_it_is_being_read),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
