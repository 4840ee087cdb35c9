/* SPDX-License-Identifier: MIT */
/* Mailboxes, portals and syncs of cluster 0, beside clusters 1 and 2. */
#include "cluster_test.h"

/* Mailboxes */

static struct lane_message mail(unsigned to, unsigned from, u8 word)
{
    return (struct lane_message){
        .kind = MESSAGE_MAIL, .to = (u8)to, .from = (u8)from, .size = 4, .data = kept(BYTES(word))
    };
}

static void a_message_is_read_once_and_padded(void **state)
{
    s64 id = CALL(mailbox_create, .node = 0, .port = 2);
    struct comm c = { .id = (u16)id };
    assert_in_range(id, 0, COMM_MAILBOXES - 1);
    say(1, &(struct lane_message){ .kind = MESSAGE_MAIL, .to = 2, .from = 5, .size = 2, .data = BYTES(7, 8) });
    assert_int_equal(CALL(mailbox_wait, .id = (u16)id), -EBADF);
    assert_int_equal(CALL(mailbox_aread, .id = (u16)id, .size = 128, .user = 0x1000), 0);
    assert_int_equal(CALL(mailbox_aread, .id = (u16)id, .size = 128), -EBUSY);
    u8 message[COMM_MESSAGE];
    memset(message, 0xee, sizeof(message));
    c.data = message;
    assert_int_equal(serve(mailbox_wait, &c), 0);
    assert_int_equal(c.size, 128);
    assert_int_equal(c.user, 0x1000);
    assert_int_equal(c.data[0] | c.data[1] << 8 | c.data[2] << 16 | c.data[127] << 24, 0x0807);
    assert_int_equal(CALL(mailbox_aread, .id = (u16)id, .size = 1), 0);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)id), REQUEST_PENDING);
}

static void messages_of_a_sender_keep_their_order_and_come_before_the_mailbox(void **state)
{
    for (u8 i = 0; i < 6; i++)
        say(1 + i % 2, &(struct lane_message){ .kind = MESSAGE_MAIL, .to = 1, .size = 1, .data = BYTES(i) });
    s64 id = CALL(mailbox_create, .port = 1);
    for (u8 i = 0; i < 6; i++) {
        struct comm c = { .id = (u16)id };
        CALL(mailbox_aread, .id = (u16)id, .size = 1);
        assert_int_equal(serve(mailbox_wait, &c), 0);
        assert_int_equal(c.data[0], i);
    }
}

static void a_filter_takes_one_sender_and_one_message(void **state)
{
    s64 id = CALL(mailbox_create, .port = 1);
    struct lane_message first = mail(1, 4, 1), second = mail(1, 5, 2);
    say(1, &first);
    say(2, &second);
    assert_int_equal(CALL(mailbox_filter, .id = (u16)id, .node = 2, .port = COMM_PORTS), 0);
    assert_int_equal(CALL(mailbox_filter, .id = (u16)id, .node = 2, .port = 5), -EFAULT);
    struct comm c = { .id = (u16)id };
    CALL(mailbox_aread, .id = (u16)id, .size = 4);
    assert_int_equal(serve(mailbox_wait, &c), 0);
    assert_int_equal(c.data[0], 2);
    CALL(mailbox_aread, .id = (u16)id, .size = 4);
    assert_int_equal(serve(mailbox_wait, &c), 0);
    assert_int_equal(c.data[0], 1);
}

/* A sender whose messages nobody reads takes its share of the pool, whatever their ports; others go on, to the same
 * port. */
static void a_sender_that_floods_a_port_leaves_room_for_others(void **state)
{
    struct lane_message flood = mail(2, 0, 1), right = mail(2, 0, 2);
    for (unsigned i = 0; i < 80; i++) {
        noc_host_self = 1;
        look_at(&other[1]);
        lane_send(&other[1], &flood);
        look();
    }
    assert_true(peers_held());
    say(2, &right);
    s64 id = CALL(mailbox_create, .port = 2);
    struct comm c = { .id = (u16)id };
    CALL(mailbox_filter, .id = (u16)id, .node = 2, .port = COMM_PORTS);
    CALL(mailbox_aread, .id = (u16)id, .size = 4);
    assert_int_equal(serve(mailbox_wait, &c), 0);
    assert_int_equal(c.data[0], 2);
}

static bool is_said_slow(unsigned by)
{
    noc_host_self = by;
    look_at(&other[by]);
    bool slow = lane_is_slow(&other[by]);
    noc_host_self = 0;
    return slow;
}

/* Who does not read is to be waited for; nobody is not. */
static void a_sender_is_told_that_its_reader_is_slow(void **state)
{
    const struct lane_message flood = mail(2, 0, 1);
    s64 id = -1, out = CALL(mailbox_open, .node = 0, .port = 2);
    for (unsigned way = 0; way < 2; way++) {
        for (unsigned i = 0; i < 80; i++) {
            noc_host_self = 1;
            look_at(&other[1]);
            lane_send(&other[1], &flood);
            look();
        }
        assert_int_equal(is_said_slow(1), way);
        assert_false(is_said_slow(2));
        while (CALL(mailbox_write, .id = (u16)out, .size = 1) != REQUEST_PENDING)
            ;
        assert_int_equal(peer_is_slow(0), way);
        id = way ? id : CALL(mailbox_create, .port = 2);
        look();
    }
    for (unsigned i = 0; i < 80; i++)
        CALL(mailbox_read, .id = (u16)id, .size = 1);
    look();
    assert_false(is_said_slow(1));
}

static void mailbox_errors(void **state)
{
    s64 in = CALL(mailbox_create, .port = 1), out = CALL(mailbox_open, .node = 1, .port = 3);
    assert_int_equal(CALL(mailbox_create, .port = 1), -EBUSY);
    assert_int_equal(CALL(mailbox_create, .node = 1, .port = 2), -EINVAL);
    assert_int_equal(CALL(mailbox_create, .port = COMM_PORTS), -EINVAL);
    assert_int_equal(CALL(mailbox_open, .node = NOC_HOST), -EINVAL);
    assert_int_equal(CALL(mailbox_open, .node = 1, .port = COMM_PORTS), -EINVAL);
    assert_int_equal(CALL(mailbox_awrite, .id = (u16)in, .size = 1), -EBADF);
    assert_int_equal(CALL(mailbox_aread, .id = (u16)out, .size = 1), -EBADF);
    assert_int_equal(CALL(mailbox_aread, .id = 0xffff, .size = 1), -EBADF);
    assert_int_equal(CALL(mailbox_close, .id = COMM_MAILBOXES), -EINVAL);
    assert_int_equal(CALL(mailbox_close, .id = (u16)in, .type = 1), -EBADF);
    assert_int_equal(CALL(mailbox_close, .id = (u16)out, .type = 0), -EBADF);
    assert_int_equal(CALL(mailbox_filter, .id = (u16)in, .node = NOC_HOST + 1), -EINVAL);
    assert_int_equal(CALL(mailbox_filter, .id = (u16)out, .node = 1), -EFAULT);
    for (unsigned i = 1; i < COMM_PORTS; i++)
        assert_true(CALL(mailbox_open, .node = 1, .port = 3) >= 0);
    assert_int_equal(CALL(mailbox_open, .node = 1, .port = 3), -EAGAIN);
}

static void a_mailbox_whose_message_was_passed_stays(void **state)
{
    s64 first = CALL(mailbox_create, .port = 1), second = CALL(mailbox_create, .port = 2);
    const struct lane_message early = mail(1, 0, 10), later = mail(2, 0, 20), foreign = mail(2, 0, 30);
    say(1, &early);
    say(2, &foreign);
    assert_int_equal(CALL(mailbox_close, .id = (u16)first), 0); /* for the next one there */
    first = CALL(mailbox_create, .port = 1);
    assert_int_equal(CALL(mailbox_read, .id = (u16)second, .size = 1), 0); /* another cluster's */
    assert_int_equal(CALL(mailbox_close, .id = (u16)first), 0);
    first = CALL(mailbox_create, .port = 1);
    say(1, &later);
    assert_int_equal(CALL(mailbox_read, .id = (u16)second, .size = 1), 0);
    assert_int_equal(CALL(mailbox_close, .id = (u16)first), -EBUSY);
    struct comm c = { .id = (u16)first, .size = 1 };
    assert_int_equal(serve(mailbox_read, &c), 0);
    assert_int_equal(c.data[0], 10);
    assert_int_equal(CALL(mailbox_close, .id = (u16)first), 0);
}

static void a_descriptor_is_its_makers_alone(void **state)
{
    s64 box = CALL(mailbox_create, .port = 1), portal = CALL(portal_create, .port = 1);
    s64 sync = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 });
    assert_true(box >= 0 && portal >= 0 && sync >= 0);
    assert_int_equal(CALL(mailbox_aread, .owner = 9, .id = (u16)box, .size = 1), -EBADF);
    assert_int_equal(CALL(mailbox_close, .owner = 9, .id = (u16)box), -EBADF);
    assert_int_equal(CALL(portal_allow, .owner = 9, .id = (u16)portal, .node = 1), -EBADF);
    assert_int_equal(CALL(sync_wait, .owner = 9, .id = (u16)sync), -EBADF);
    assert_int_equal(CALL(sync_create, .owner = 9, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 }), -EBUSY);
}

static void a_write_waits_for_room_in_the_lane(void **state)
{
    s64 out = CALL(mailbox_open, .node = 1, .port = 3);
    struct comm c = { .id = (u16)out, .size = 1, .data = (u8[COMM_MESSAGE]){ 9 } };
    assert_int_equal(CALL(mailbox_wait, .id = (u16)out), -EBADF);
    for (unsigned i = 0; i < LANE_SLOTS - 1; i++) /* the last one is for another port */
        assert_int_equal(serve(mailbox_awrite, &c), 0);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)out), 0);
    assert_int_equal(serve(mailbox_awrite, &c), REQUEST_PENDING);
    assert_int_equal(c.request.peers, 1u << 1);
    assert_int_equal(heard(1).data[0], 9);
    look();
    assert_int_equal(serve(mailbox_awrite, &c), 0);
}

/* Between the look at a message and the copy of its data. */
static void starts_again_in_a_message(const void *p)
{
    size_t at = (size_t)((const u8 *)p - noc_host_seen[0][1]);
    if (at >= NOC_LINE && (at - NOC_LINE) % sizeof(struct lane_slot) >= NOC_LINE)
        memset(noc_host_memory[1], 0, sizeof(noc_host_memory[1]));
}

static void a_message_of_a_cluster_that_starts_again_comes_whole_or_not_at_all(void **state)
{
    for (unsigned way = 0; way < 2; way++) {
        s64 in = CALL(mailbox_create, .port = 1);
        struct comm c = { .id = (u16)in, .size = 128 };
        union data data;
        memset(&data, 0x5a, sizeof(data));
        if (way)
            assert_int_equal(serve(mailbox_read, &c), REQUEST_PENDING);
        noc_host_self = 1;
        assert_int_equal(lane_send(&other[1], &(struct lane_message){ .to = 1, .size = 128, .data = data.byte }), 0);
        noc_host_self = 0;
        u32 dropped = lanes_dropped;
        noc_host_meanwhile = starts_again_in_a_message;
        peers_poll();
        noc_host_meanwhile = NULL;
        assert_int_equal(lanes_dropped, dropped + 1);
        assert_int_equal(serve(mailbox_read, &c), REQUEST_PENDING);
        begin_life(1);
        look();
        const struct lane_message right = mail(1, 0, 9);
        say(1, &right);
        assert_int_equal(serve(mailbox_read, &c), 0);
        assert_int_equal(c.data[0], 9);
        CALL(mailbox_close, .id = (u16)in);
    }
}

static void write_and_read_are_one_request_each(void **state)
{
    s64 in = CALL(mailbox_create, .port = 1), out = CALL(mailbox_open, .node = 0, .port = 1);
    struct comm c = { .id = (u16)in, .size = 4, .user = 0x3000 };
    assert_int_equal(serve(mailbox_read, &c), REQUEST_PENDING);
    assert_int_equal(CALL(mailbox_aread, .id = (u16)in, .size = 4), -EBUSY);
    assert_int_equal(CALL(mailbox_read, .id = (u16)in, .size = 4), -EBUSY);
    assert_int_equal(CALL(mailbox_write, .id = (u16)in, .size = 1, .data = (u8[COMM_MESSAGE]){ 7 }), -EBADF);
    assert_int_equal(CALL(mailbox_read, .id = (u16)out, .size = 4), -EBADF);
    assert_int_equal(CALL(mailbox_write, .id = (u16)out, .size = 1, .data = (u8[COMM_MESSAGE]){ 7 }), 0);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)out), -EBADF); /* nothing is left to wait for */
    assert_int_equal(serve(mailbox_read, &c), 0);
    assert_int_equal(c.size, 4);
    assert_int_equal(c.user, 0x3000);
    assert_int_equal(c.data[0], 7);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)in), -EBADF);
    assert_int_equal(CALL(mailbox_awrite, .id = (u16)out, .size = 1, .data = (u8[COMM_MESSAGE]){ 8 }), 0);
    assert_int_equal(CALL(mailbox_write, .id = (u16)out, .size = 1, .data = (u8[COMM_MESSAGE]){ 9 }), 0);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)out), 0); /* of the one that was started */
}

static void a_signal_ends_a_wait_for_mail_and_loses_no_message(void **state)
{
    s64 in = CALL(mailbox_create, .port = 1), out = CALL(mailbox_open, .node = 1, .port = 3);
    struct comm whole = { .id = (u16)in, .size = 1 }, wait = { .id = (u16)in };
    const struct lane_message m = mail(1, 4, 17);
    assert_int_equal(CALL(mailbox_filter, .id = (u16)in, .node = 1, .port = COMM_PORTS), 0);
    assert_int_equal(serve(mailbox_read, &whole), REQUEST_PENDING);
    assert_true(interrupt(&whole));
    assert_int_equal(CALL(mailbox_filter, .id = (u16)in, .node = 2, .port = COMM_PORTS), -EFAULT); /* it is kept */
    assert_int_equal(CALL(mailbox_aread, .id = (u16)in, .size = 1), 0); /* nothing is left of the read */
    assert_int_equal(serve(mailbox_wait, &wait), REQUEST_PENDING);
    assert_true(interrupt(&wait));
    assert_int_equal(CALL(mailbox_aread, .id = (u16)in, .size = 1), -EBUSY); /* this one is started */
    say(1, &m);
    struct comm again = { .id = (u16)in };
    assert_int_equal(serve(mailbox_wait, &again), 0);
    assert_int_equal(again.data[0], 17);
    struct comm w = { .id = (u16)out, .size = 1, .data = (u8[COMM_MESSAGE]){ 9 } };
    while (!serve(mailbox_write, &w))
        ;
    assert_true(interrupt(&w));
    for (unsigned i = 0; i < LANE_SLOTS - 1; i++)
        assert_int_equal(heard(1).data[0], 9);
    nothing_heard(1);
}

static void a_receiver_is_told_the_senders_cluster_and_port(void **state)
{
    s64 in = CALL(mailbox_create, .port = 1);
    const struct lane_message early = mail(1, 4, 17), late = mail(1, 5, 18);
    say(2, &early);
    struct comm kept = { .id = (u16)in, .size = 1 }, waits = { .id = (u16)in, .size = 1 };
    assert_int_equal(serve(mailbox_receive, &kept), 0); /* out of the pool */
    assert_int_equal(kept.data[0], 17);
    assert_int_equal(kept.node, 2);
    assert_int_equal(kept.port, 4);
    assert_int_equal(serve(mailbox_receive, &waits), REQUEST_PENDING);
    say(1, &late);
    assert_int_equal(serve(mailbox_receive, &waits), 0); /* straight to who waits */
    assert_int_equal(waits.data[0], 18);
    assert_int_equal(waits.node, 1);
    assert_int_equal(waits.port, 5);
    struct comm plain = { .id = (u16)in, .size = 1 };
    say(2, &early);
    assert_int_equal(serve(mailbox_read, &plain), 0);
    assert_int_equal(plain.node, 0); /* who does not ask is not told */
    assert_int_equal(CALL(mailbox_receive, .id = (u16)CALL(mailbox_open, .node = 1), .size = 1), -EBADF);
}

static void a_receiver_keeps_its_filter_and_leaves_none(void **state)
{
    s64 in = CALL(mailbox_create, .port = 1);
    const struct lane_message of_2 = mail(1, 4, 17), of_1 = mail(1, 5, 18);
    struct comm c = { .id = (u16)in, .size = 1 }, ended = { .id = (u16)in, .size = 1 };
    say(2, &of_2);
    say(1, &of_1);
    assert_int_equal(CALL(mailbox_filter, .id = (u16)in, .node = 1, .port = COMM_PORTS), 0);
    assert_int_equal(serve(mailbox_receive, &c), 0);
    assert_int_equal(c.data[0], 18);
    assert_int_equal(CALL(mailbox_receive, .id = (u16)in, .size = 1), 0);
    assert_int_equal(serve(mailbox_receive, &ended), REQUEST_PENDING);
    assert_true(interrupt(&ended));
    assert_int_equal(CALL(mailbox_filter, .id = (u16)in, .node = 2, .port = COMM_PORTS), 0);
}

static void a_try_to_write_does_not_wait_for_room(void **state)
{
    s64 out = CALL(mailbox_open, .node = 1, .port = 3);
    struct comm c = { .id = (u16)out, .size = 1, .data = (u8[COMM_MESSAGE]){ 9 } };
    for (unsigned i = 0; i < LANE_SLOTS - 1; i++)
        assert_int_equal(serve(mailbox_try_write, &c), 0);
    assert_int_equal(serve(mailbox_try_write, &c), -EAGAIN);
    assert_int_equal(heard(1).data[0], 9);
    look();
    assert_int_equal(serve(mailbox_try_write, &c), 0);
    for (unsigned i = 0; i < LANE_SLOTS - 1; i++)
        assert_int_equal(heard(1).data[0], 9);
    nothing_heard(1); /* the one that was refused was not sent */
}

/* Two threads wait for one read: the signal for the other one takes it from nobody. */
static void a_signal_ends_no_other_threads_read(void **state)
{
    s64 in = CALL(mailbox_create, .port = 1);
    struct comm wait = { .id = (u16)in }, whole = { .id = (u16)in, .size = 1 };
    const struct lane_message m = mail(1, 4, 18);
    CALL(mailbox_aread, .id = (u16)in, .size = 1);
    assert_int_equal(serve(mailbox_wait, &wait), REQUEST_PENDING);
    whole.type = 1;
    assert_int_equal(serve(mailbox_read, &whole), REQUEST_PENDING);
    assert_true(interrupt(&whole));
    say(1, &m);
    assert_int_equal(serve(mailbox_wait, &wait), 0);
    assert_int_equal(wait.data[0], 18);
}

/* Portals */

#define BUFFERS ((NOC_OUTBOX - 2 * COMM_PAGE) / COMM_PAGE) /* behind the lanes */

/* What a cluster sends to say that data of `length` bytes for our port `to` are in its buffer. */
static struct lane_message page(unsigned to, unsigned own, unsigned buffer, unsigned length)
{
    return (struct lane_message){ .kind = MESSAGE_DATA,
                                  .to = (u8)to,
                                  .from = (u8)own,
                                  .size = 4,
                                  .data = kept(BYTES((u8)buffer, (u8)length, (u8)(length >> 8))) };
}
static void done_by(unsigned from, unsigned buffer)
{
    const u8 *bits = kept(BYTES((u8)(1u << buffer), (u8)(1u << buffer >> 8)));
    say(from, &(struct lane_message){ .kind = MESSAGE_DONE, .size = 2, .data = bits });
}

/* Cluster `to` is told that one of its buffers is free: which one. */
static unsigned freed(unsigned to)
{
    struct lane_message m = heard(to);
    unsigned bits = m.data[0] | (unsigned)m.data[1] << 8;
    assert_int_equal(m.kind, MESSAGE_DONE);
    assert_int_equal(m.size, 2);
    assert_true(bits && !(bits & (bits - 1)));
    return (unsigned)__builtin_ctz(bits);
}

/* A whole write, whose reader's kernel is told: the buffer. */
static unsigned written(s64 id, u16 owner, unsigned size)
{
    struct comm c = { .owner = owner, .id = (u16)id, .size = (u16)size };
    assert_int_equal(serve(portal_begin, &c), 0);
    assert_int_equal(serve(portal_send, &c), 0);
    assert_int_equal(CALL(portal_wait, .owner = owner, .id = (u16)id), 0);
    return (unsigned)(((u8 *)c.room - (u8 *)noc_outbox()) / COMM_PAGE) - 2;
}

/* A read of up to `size` bytes, up to its data: how many are there. */
static s64 begin_read(s64 id, unsigned node, unsigned own, unsigned size)
{
    struct comm c = { .id = (u16)id };
    assert_int_equal(CALL(portal_allow, .id = (u16)id, .node = (u16)node, .port = (u16)own), 0);
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = (u16)size), 0);
    s64 result = serve(portal_wait, &c);
    return result ? result : c.size;
}

static void a_write_ends_before_its_reader_allows_it(void **state)
{
    s64 id = CALL(portal_open, .node = 1, .port = 3), own = CALL(portal_port, .id = (u16)id);
    struct comm c = { .id = (u16)id, .size = 100 };
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBADF);
    assert_int_equal(serve(portal_begin, &c), 0);
    assert_true((u8 *)c.room >= (u8 *)noc_outbox() + NOC_HOST * sizeof(struct lane_half));
    assert_true((u8 *)c.room + COMM_PAGE <= (u8 *)noc_outbox() + NOC_OUTBOX);
    assert_int_equal(CALL(portal_begin, .id = (u16)id), -EBUSY);
    nothing_heard(1);
    assert_int_equal(serve(portal_send, &c), 0);
    struct lane_message m = heard(1);
    assert_int_equal(m.kind, MESSAGE_DATA);
    assert_int_equal(m.to, 3);
    assert_int_equal(m.from, own);
    assert_int_equal(m.data[1] | m.data[2] << 8, 100);
    assert_int_equal(CALL(portal_begin, .id = (u16)id), -EBUSY); /* not waited for */
    assert_int_equal(CALL(portal_close, .id = (u16)id, .type = 1), -EBUSY);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), 0);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBADF);
    assert_int_not_equal(written(id, OWNER, 1), m.data[0]); /* the first one's buffer is still the reader's */
    assert_int_equal(CALL(portal_close, .id = (u16)id, .type = 1), 0);
}

static void a_try_to_write_a_page_waits_for_no_reader(void **state)
{
    s64 one = CALL(portal_open, .node = 1, .port = 3), two = CALL(portal_open, .node = 1, .port = 4);
    s64 other_reader = CALL(portal_open, .node = 2, .port = 3);
    struct comm c = { .id = (u16)one };
    assert_int_equal(serve(portal_try_begin, &c), 0);
    c.size = 100;
    assert_int_equal(serve(portal_send_whole, &c), 0);
    look();
    assert_int_equal(CALL(portal_wait, .id = (u16)one), -EBADF); /* nothing is left to wait for */
    assert_int_equal(CALL(portal_try_begin, .id = (u16)one), -EAGAIN);
    assert_int_equal(CALL(portal_try_begin, .id = (u16)two), -EAGAIN); /* the same cluster */
    struct comm other_page = { .id = (u16)other_reader };
    assert_int_equal(serve(portal_try_begin, &other_page), 0);       /* holds up nobody else */
    assert_int_equal(CALL(portal_send, .id = (u16)other_reader), 0); /* none, after all */
    unsigned buffer = heard(1).data[0];
    done_by(1, buffer);
    look();
    assert_int_equal(CALL(portal_try_begin, .id = (u16)two), 0);
    assert_int_equal(CALL(portal_try_begin, .id = (u16)CALL(portal_create, .port = 9)), -EBADF);
}

static void a_buffer_is_free_when_its_reader_says_so(void **state)
{
    s64 id = CALL(portal_open, .node = 1, .port = 3);
    struct comm c = { .id = (u16)id, .size = 1 };
    for (unsigned i = 0; i < BUFFERS; i++) {
        written(id, OWNER, 1);
        assert_int_equal(heard(1).data[0], i);
        look();
    }
    assert_int_equal(serve(portal_begin, &c), REQUEST_PENDING);
    done_by(2, 5); /* not the reader */
    assert_int_equal(serve(portal_begin, &c), REQUEST_PENDING);
    done_by(1, 5);
    assert_int_equal(serve(portal_begin, &c), 0);
    done_by(1, 5); /* said too early: it is being filled */
    s64 second = CALL(portal_open, .node = 1, .port = 4);
    assert_int_equal(CALL(portal_begin, .id = (u16)second, .size = 1), REQUEST_PENDING);
}

static void a_page_comes_in_when_it_is_allowed(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    struct comm c = { .id = (u16)id };
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = 60), -EACCES);
    assert_int_equal(CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2), 0);
    assert_int_equal(CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2), -EBUSY);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBADF);
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = 60, .user = 0x2000), 0);
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = 60), -EBUSY);
    const struct lane_message others[] = {
        page(4, 2, BUFFERS, 50), /* a lie */
        page(4, 3, 2, 50),       /* another writer */
        page(5, 2, 3, 50),       /* another reader */
    };
    for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
        say(1, &others[i]);
        assert_int_equal(serve(portal_wait, &c), REQUEST_PENDING);
    }
    struct lane_message data = page(4, 2, 1, 50), lie = page(4, 2, 1, 7);
    say(2, &data); /* another cluster, the same ports */
    assert_int_equal(serve(portal_wait, &c), REQUEST_PENDING);
    say(1, &data);
    say(1, &lie); /* the buffer has data */
    assert_int_equal(serve(portal_wait, &c), 0);
    assert_int_equal(c.size, 50);
    assert_int_equal(c.user, 0x2000);
    assert_int_equal((const u8 *)c.room - (const u8 *)noc_outbox_of(1), 3 * COMM_PAGE);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBUSY);
    assert_int_equal(freed(1), 3); /* sent before, to a port that nobody has: dropped */
    nothing_heard(1);
    assert_int_equal(CALL(portal_taken, .id = (u16)id), 0);
    assert_int_equal(CALL(portal_taken, .id = (u16)id), -EBADF);
    struct lane_message m = heard(1);
    assert_int_equal(m.kind, MESSAGE_DONE);
    assert_int_equal(m.data[0], 1 << 1);
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = 60), -EACCES);
}

static void data_wait_for_who_allows_them_in_their_order(void **state)
{
    const struct lane_message early[] = { page(4, 2, 7, 70), page(4, 2, 3, 30), page(4, 1, 5, 50), page(6, 1, 8, 80) };
    for (unsigned i = 0; i < ARRAY_SIZE(early); i++)
        say(1, &early[i]);
    s64 id = CALL(portal_create, .port = 4);
    assert_int_equal(begin_read(id, 1, 1, 60), 50);
    CALL(portal_taken, .id = (u16)id);
    assert_int_equal(freed(1), 5);
    assert_int_equal(CALL(portal_close, .id = (u16)id), -EBUSY); /* what was read was sent after them */
    assert_int_equal(begin_read(id, 1, 2, 60), 60);
    CALL(portal_taken, .id = (u16)id);
    assert_int_equal(freed(1), 7);
    assert_int_equal(begin_read(id, 1, 2, 60), 30);
    CALL(portal_taken, .id = (u16)id);
    assert_int_equal(freed(1), 3);
    assert_int_equal(CALL(portal_close, .id = (u16)id), 0);
    nothing_heard(1); /* nothing was sent after the one for port 6 */
}

static void what_comes_too_early_is_for_the_next_portal_at_its_port(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    for (unsigned i = 0; i < 3; i++) {
        const struct lane_message data = page(4, 2, i, 10 + i);
        say(1, &data);
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(begin_read(id, 1, 2, 60), 10 + i);
        CALL(portal_taken, .id = (u16)id);
        assert_int_equal(freed(1), i);
        assert_int_equal(CALL(portal_close, .id = (u16)id), 0);
        id = CALL(portal_create, .port = 4);
    }
}

static void the_end_of_a_reader_gives_buffers_back(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    const struct lane_message data = page(4, 2, 7, 70), foreign = page(5, 2, 8, 70);
    say(1, &data);
    say(1, &foreign);
    assert_int_equal(begin_read(id, 1, 2, 60), 60);
    portal_close_all(OWNER);
    look();
    assert_int_equal(freed(1), 7);
    nothing_heard(1);
    done_by(1, 0); /* of ours nothing is out */
}

static void a_reader_or_writer_that_is_lost_ends_the_transfer(void **state)
{
    s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .node = 2, .port = 0);
    s64 taking = CALL(portal_create, .port = 5);
    struct comm c = { .id = (u16)out, .size = 1 };
    const struct lane_message data = page(5, 2, 7, 70);
    say(1, &data);
    assert_int_equal(begin_read(taking, 1, 2, 60), 60);
    CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
    CALL(portal_aread, .id = (u16)in, .size = 60);
    assert_int_equal(serve(portal_begin, &c), 0);
    assert_int_equal(serve(portal_send, &c), 0);
    restart_others();
    assert_int_equal(CALL(portal_wait, .id = (u16)in), -EIO);
    assert_int_equal(CALL(portal_taken, .id = (u16)taking), -EIO); /* its next life's buffer is not given back */
    nothing_heard(1);
    assert_int_equal(CALL(portal_wait, .id = (u16)out), -EIO);
    assert_int_equal(CALL(portal_close, .id = (u16)in), 0);
    for (unsigned i = 0; i < BUFFERS; i++) { /* none is missing */
        written(out, OWNER, 1);
        heard(2);
        look();
    }
    assert_int_equal(CALL(portal_close, .id = (u16)out, .type = 1), 0);
}

/* As the firmware does it: its words are cleared, its kernel has not come to peers_start() yet, and nobody rings. */
static void starts_again(unsigned n) { memset(noc_host_memory[n], 0, sizeof(noc_host_memory[n])); }

static void fill_buffer(unsigned of, unsigned buffer)
{
    noc_host_self = of;
    u8 *room = (u8 *)noc_outbox() + (2 + buffer) * COMM_PAGE;
    memset(room, 0x5a, COMM_PAGE);
    noc_clean(room, COMM_PAGE);
    noc_host_self = 0;
}

static void a_page_of_a_cluster_that_starts_again_is_an_error_and_no_zeros(void **state)
{
    s64 id = CALL(portal_create, .port = 4), next = CALL(portal_create, .port = 5);
    struct comm c = { .id = (u16)id };
    const struct lane_message data = page(4, 2, 1, 50);
    fill_buffer(1, 1);
    say(1, &data);
    starts_again(1);
    u32 dropped = lanes_dropped;
    CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2);
    CALL(portal_aread, .id = (u16)id, .size = 60);
    assert_int_equal(serve(portal_wait, &c), 0);
    noc_invalidate(c.room, 50);
    assert_int_equal(*(u8 *)c.room, 0); /* what its program would have read */
    assert_int_equal(CALL(portal_taken, .id = (u16)id), -EIO);
    assert_int_equal(lanes_dropped, dropped + 1);
    assert_int_equal(CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2), 0); /* it is told once */
    assert_int_equal(CALL(portal_allow, .id = (u16)next, .node = 1, .port = 2), -EIO);
}

static void one_writes_to_oneself(void **state)
{
    s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .node = 0, .port = 4);
    for (unsigned i = 0; i < 2 * BUFFERS; i++) {
        written(out, OWNER, 9);
        assert_int_equal(begin_read(in, 0, 0, 60), 9);
        assert_int_equal(CALL(portal_taken, .id = (u16)in), 0);
    }
}

/* Lives of processes in clusters that live on */

#define OTHERS_OWN 2 /* the port from which cluster 1's process sends */

static const u32 first_life = (5u << LIFE_BITS | 1) * LANE_STEP, second_life = (5u << LIFE_BITS | 2) * LANE_STEP;

/* A process of cluster 1 has the port, or none has any more. */
static void now_owned_by(u32 of)
{
    struct lane_owners *own = (struct lane_owners *)noc_host_memory[1] + 1;
    own->of[0][OTHERS_OWN] = of;
    noc_host_self = 1;
    lane_tell_rarely(&other[1]);
    look();
}

static struct lane_message page_of(u32 of, unsigned to, unsigned buffer, unsigned length)
{
    struct lane_message m = page(to, OTHERS_OWN, buffer, length);
    m.of = of;
    return m;
}

static void say_page(u32 of, unsigned to, unsigned buffer, unsigned length)
{
    const struct lane_message m = page_of(of, to, buffer, length);
    say(1, &m);
}

static void a_permission_is_for_one_life_of_a_writer_whose_end_is_told(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    now_owned_by(first_life);
    say_page(first_life, 4, 1, 11);
    say_page(first_life, 4, 2, 12);
    assert_int_equal(begin_read(id, 1, OTHERS_OWN, 60), 11);
    CALL(portal_taken, .id = (u16)id);
    now_owned_by(0);
    now_owned_by(second_life);
    say_page(second_life, 4, 1, 21);
    assert_int_equal(begin_read(id, 1, OTHERS_OWN, 60), 12); /* what it has sent whole stays */
    CALL(portal_taken, .id = (u16)id);
    assert_int_equal(begin_read(id, 1, OTHERS_OWN, 60), -EIO); /* told once */
    assert_int_equal(begin_read(id, 1, OTHERS_OWN, 60), 21);
    CALL(portal_taken, .id = (u16)id);
}

static void a_wait_for_a_writer_that_ends_ends(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    struct comm c = { .id = (u16)id };
    now_owned_by(first_life);
    assert_int_equal(begin_read(id, 1, OTHERS_OWN, 60), REQUEST_PENDING); /* of one that has not written yet */
    noc_host_self = 1;
    struct lane_message last = page_of(first_life, 4, 1, 11); /* on its way */
    assert_int_equal(tell(&other[1], &last), 0);
    ((struct lane_owners *)noc_host_memory[1] + 1)->of[0][OTHERS_OWN] = 0;
    assert_int_equal(serve(portal_wait, &c), REQUEST_PENDING);
    look();
    assert_int_equal(serve(portal_wait, &c), 0);
    CALL(portal_taken, .id = (u16)id);
    assert_int_equal(begin_read(id, 1, OTHERS_OWN, 60), -EIO);
    assert_int_equal(begin_read(id, 1, OTHERS_OWN, 60), REQUEST_PENDING); /* the next one */
    now_owned_by(second_life);
    say_page(second_life, 4, 1, 21);
    assert_int_equal(serve(portal_wait, &c), 0);
    assert_int_equal(c.size, 21);
}

static void the_end_of_a_writer_lets_those_be_tried_that_wait_for_it(void **state)
{
    now_owned_by(first_life);
    noc_host_self = 1;
    ((struct lane_owners *)noc_host_memory[1] + 1)->of[0][OTHERS_OWN] = 0;
    lane_tell_rarely(&other[1]);
    noc_host_self = 0;
    assert_true(peers_poll());
    assert_false(peers_poll());
}

static void data_of_a_former_life_are_dropped_and_counted_when_the_next_one_is_allowed(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    now_owned_by(first_life);
    say_page(first_life, 4, 1, 11);
    now_owned_by(second_life);
    say_page(second_life, 4, 2, 21);
    u32 dropped = lanes_dropped;
    assert_int_equal(begin_read(id, 1, OTHERS_OWN, 60), 21);
    assert_int_equal(lanes_dropped, dropped + 1);
    assert_int_equal(freed(1), 1);
    CALL(portal_taken, .id = (u16)id);
    assert_int_equal(CALL(portal_close, .id = (u16)id), 0);
}

static void a_message_is_read_of_the_process_that_the_filter_means(void **state)
{
    s64 id = CALL(mailbox_create, .port = 1);
    struct lane_message first = mail(1, OTHERS_OWN, 1), second = mail(1, OTHERS_OWN, 2);
    first.of = first_life;
    second.of = second_life;
    struct comm c = { .id = (u16)id, .size = 4 };
    now_owned_by(first_life);
    CALL(mailbox_filter, .id = (u16)id, .node = 1, .port = OTHERS_OWN);
    assert_int_equal(serve(mailbox_read, &c), REQUEST_PENDING);
    say(1, &first);
    assert_int_equal(serve(mailbox_read, &c), 0);
    assert_int_equal(c.data[0], 1);
    now_owned_by(second_life);
    say(1, &second);
    for (unsigned i = 0; i < 2; i++) { /* its end is told once */
        CALL(mailbox_filter, .id = (u16)id, .node = 1, .port = OTHERS_OWN);
        struct comm next = { .id = (u16)id, .size = 4 };
        assert_int_equal(serve(mailbox_read, &next), i ? 0 : -EIO);
        assert_true(!i || next.data[0] == 2);
    }
    CALL(mailbox_filter, .id = (u16)id, .node = 1, .port = OTHERS_OWN);
    struct comm wait = { .id = (u16)id, .size = 4 };
    assert_int_equal(serve(mailbox_read, &wait), REQUEST_PENDING);
    now_owned_by(0);
    assert_int_equal(serve(mailbox_read, &wait), -EIO);
    CALL(mailbox_filter, .id = (u16)id, .node = 1, .port = COMM_PORTS); /* any of a cluster that lives */
    assert_int_equal(CALL(mailbox_read, .id = (u16)id, .size = 4), REQUEST_PENDING);
}

/* Of this cluster's port to cluster 1. */
static u32 said_owner(unsigned own) { return ((struct lane_owners *)noc_host_memory[0])->of[1][own]; }

static void a_cluster_says_which_life_of_a_process_sends_from_a_port(void **state)
{
    s64 out = CALL(portal_open, .node = 1, .port = 3), mail = CALL(mailbox_open, .node = 1, .port = 3);
    s64 next = CALL(portal_open, .owner = OWNER + 1, .node = 1, .port = 3);
    assert_int_equal(CALL(portal_port, .id = (u16)out), 0);
    assert_int_equal(CALL(mailbox_port, .id = (u16)mail), 0); /* one process, one number */
    assert_int_equal(CALL(portal_port, .owner = OWNER + 1, .id = (u16)next), 1);
    u32 life = said_owner(0), others = said_owner(1);
    assert_true(life && others && life != others && !(life % 2) && !said_owner(2));
    written(out, OWNER, 1);
    assert_int_equal(heard(1).of, life);
    CALL(mailbox_write, .id = (u16)mail, .size = 1);
    assert_int_equal(heard(1).of, life);
    assert_int_equal(CALL(portal_close, .id = (u16)out, .type = 1), 0);
    assert_int_equal(said_owner(0), life);
    mailbox_close_all(OWNER);
    portal_close_all(OWNER);
    noc_host_self = 1;
    look_at(&other[1]);
    lane_is_told_rarely(&other[1]);
    noc_host_self = 0;
    process_ends(OWNER);
    assert_true(!said_owner(0) && said_owner(1) == others);
    noc_host_self = 1;
    assert_false(lane_is_quiet(&other[1]));
    assert_true(lane_is_told_rarely(&other[1]));
    noc_host_self = 0;
    out = CALL(portal_open, .node = 1, .port = 3);
    assert_int_equal(CALL(portal_port, .id = (u16)out), 0);
    assert_true(said_owner(0) && said_owner(0) != life);
    portal_close_all(OWNER + 1);
    process_ends(OWNER + 1);
}

/* The writer's cluster has seen that the reader's was lost. */
static void a_page_for_a_former_life_is_not_sent_to_the_next_one(void **state)
{
    s64 out = CALL(portal_open, .node = 1, .port = 3);
    struct comm c = { .id = (u16)out, .size = 77 };
    assert_int_equal(serve(portal_begin, &c), 0);
    restart_others();
    assert_int_equal(serve(portal_send, &c), -EIO);
    nothing_heard(1);
    for (unsigned i = 0; i < BUFFERS; i++) { /* none is missing */
        written(out, OWNER, 1);
        heard(1);
        look();
    }
}

static void a_process_reads_of_another_one_of_its_cluster_until_that_ends(void **state)
{
    s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .owner = OWNER + 1, .node = 0, .port = 4);
    s64 own = CALL(portal_port, .owner = OWNER + 1, .id = (u16)out);
    written(out, OWNER + 1, 9);
    assert_int_equal(begin_read(in, 0, (unsigned)own, 60), 9);
    CALL(portal_taken, .id = (u16)in);
    struct comm c = { .id = (u16)in };
    assert_int_equal(begin_read(in, 0, (unsigned)own, 60), REQUEST_PENDING);
    portal_close_all(OWNER + 1);
    process_ends(OWNER + 1);
    assert_int_equal(serve(portal_wait, &c), -EIO);
}

/* Long transfers */

/* A program's memory of 16 pages, whose last one comes first, then every second one. */
static u8 own[16][COMM_PAGE] __aligned(COMM_PAGE);
static const u16 frames[] = { 15, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5 };

static struct comm_long long_transfer(s64 id, u32 size, size_t at)
{
    return (struct comm_long){ .comm = { .id = (u16)id, .owner = OWNER, .request = { .drop = portal_drop_long } },
                               .size = size,
                               .job = { .memory = (char *)own, .frame = frames, .at = at } };
}

static s64 try(s64 (*what)(struct request *r), struct comm_long *l)
{
    noc_host_self = 0;
    l->comm.request.peers = 0;
    return what(&l->comm.request);
}

static u8 *own_at(size_t i) { return &own[frames[i / COMM_PAGE]][i % COMM_PAGE]; }

static void number_own(unsigned seed)
{
    for (size_t i = 0; i < ARRAY_SIZE(frames) * COMM_PAGE; i++)
        *own_at(i) = (u8)(seed + i * 7 + (i >> 8));
}

/* Cluster `to` is told of one page or several: their buffers. */
static unsigned told(unsigned to, u8 *buffer, u16 *length)
{
    struct lane_message m = heard(to);
    assert_int_equal(m.kind, MESSAGE_DATA);
    assert_int_equal(m.size % 4, 0);
    for (unsigned i = 0; i < m.size / 4u; i++) {
        buffer[i] = m.data[4 * i];
        length[i] = (u16)(m.data[4 * i + 1] | m.data[4 * i + 2] << 8);
    }
    return m.size / 4u;
}

static const u8 *box(unsigned of, unsigned buffer) { return (const u8 *)noc_outbox_of(of) + (2 + buffer) * COMM_PAGE; }

static void a_long_write_is_a_write_of_each_page(void **state)
{
    const size_t size = 9 * COMM_PAGE + 5, at = 4093;
    s64 id = CALL(portal_open, .node = 1, .port = 3);
    struct comm_long l = long_transfer(id, (u32)size, at);
    u8 buffer[LANE_DATA];
    u16 length[LANE_DATA];
    number_own(1);
    memset(noc_host_seen[0][0] + 2 * COMM_PAGE, 0xee, BUFFERS * COMM_PAGE);
    assert_int_equal(try(portal_write, &l), REQUEST_PENDING);
    for (size_t done = 0; done < size;) {
        assert_true(l.job.busy);
        assert_int_equal(try(portal_write, &l), REQUEST_PENDING); /* the engine has it: nothing happens */
        nothing_heard(1);
        engine_works();
        s64 result = try(portal_write, &l);
        unsigned n = told(1, buffer, length);
        assert_in_range(n, 1, (BUFFERS + 1) / 2);
        for (unsigned i = 0; i < n; i++, done += COMM_PAGE) {
            assert_int_equal(length[i], MIN(size - done, (size_t)COMM_PAGE));
            for (size_t k = 0; k < COMM_PAGE; k++)
                assert_int_equal(box(0, buffer[i])[k], k < length[i] ? *own_at(at + done + k) : 0);
        }
        assert_int_equal(result, done < size ? REQUEST_PENDING : 0);
        for (unsigned i = 0; i < n; i++)
            done_by(1, buffer[i]);
    }
    assert_int_equal(CALL(portal_close, .id = (u16)id, .type = 1), 0);
}

static void a_long_write_takes_half_of_the_buffers_and_waits_for_more(void **state)
{
    s64 id = CALL(portal_open, .node = 1, .port = 3);
    struct comm_long l = long_transfer(id, 12 * COMM_PAGE, 0), other_one = long_transfer(id, 2 * COMM_PAGE, 0);
    for (unsigned i = 0; i < 4; i++) {
        written(id, OWNER, 1);
        heard(1);
    }
    assert_int_equal(try(portal_write, &l), REQUEST_PENDING);
    assert_int_equal(l.job.n, (BUFFERS + 1) / 2);
    assert_int_equal(try(portal_write, &other_one), -EBUSY);
    assert_int_equal(CALL(portal_begin, .id = (u16)id), -EBUSY);
    assert_int_equal(CALL(portal_send, .id = (u16)id, .size = 1), -EBADF);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBADF);
    assert_int_equal(CALL(portal_close, .id = (u16)id, .type = 1), -EBUSY);
    engine_works();
    assert_int_equal(try(portal_write, &l), REQUEST_PENDING);
    assert_int_equal(l.job.n, BUFFERS / 2 - 4);
    assert_int_equal(heard(1).size, 4 * ((BUFFERS + 1) / 2));
    engine_works();
    assert_int_equal(try(portal_write, &l), REQUEST_PENDING); /* no buffer is left */
    assert_int_equal(l.job.n, 0);
    assert_int_equal(l.comm.request.peers, 1u << 1);
    done_by(1, 3);
    assert_int_equal(try(portal_write, &l), REQUEST_PENDING);
    assert_int_equal(l.job.n, 1);
    assert_int_equal(l.job.page[0].buffer, 3);
    engine_works();
    assert_true(portal_drop_long(&l.comm.request, true));
}

/* The peer tells of pages in any order of buffers, in one message or in several, of other writers, and lies. */
static void a_long_read_takes_pages_in_their_order_into_its_memory_alone(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    struct comm_long l = long_transfer(id, 4 * COMM_PAGE, 4091);
    assert_int_equal(try(portal_read, &l), -EACCES);
    CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2);
    for (unsigned b = 0; b < BUFFERS; b++)
        memset((u8 *)box(1, b), (int)b + 1, COMM_PAGE);
    memset(own, 0xee, sizeof(own));
    assert_int_equal(try(portal_read, &l), REQUEST_PENDING);
    assert_int_equal(l.comm.request.peers, 1u << 1);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBUSY);
    assert_int_equal(CALL(portal_taken, .id = (u16)id), -EBADF);
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = 1), -EBUSY);
    assert_int_equal(CALL(portal_close, .id = (u16)id), -EBUSY);
    const struct lane_message others = page(4, 3, 9, 50);
    const u8 *three = kept(BYTES(7, 0, 16, 0, 14, 1, 1, 0, 3, 0, 16, 0, 5, 100, 0, 0)); /* the second one is a lie */
    say(1, &others);
    say(1, &(struct lane_message){ .kind = MESSAGE_DATA, .to = 4, .from = 2, .size = 16, .data = three });
    assert_int_equal(try(portal_read, &l), REQUEST_PENDING);
    assert_int_equal(l.job.n, 3);
    const struct lane_message again = page(4, 2, 7, 9), last = page(4, 2, 1, 4096);
    say(1, &again); /* it is being read */
    say(1, &last);
    engine_works();
    assert_int_equal(try(portal_read, &l), REQUEST_PENDING);
    struct lane_message m = heard(1);
    assert_int_equal(m.kind, MESSAGE_DONE);
    assert_int_equal(m.size, 2);
    assert_memory_equal(m.data, BYTES(1 << 3 | 1 << 5 | 1 << 7, 0), 2);
    engine_works();
    assert_int_equal(try(portal_read, &l), 0);
    for (size_t i = 0; i < ARRAY_SIZE(frames) * COMM_PAGE; i++) {
        const u8 from[] = { 7 + 1, 3 + 1, 5 + 1, 1 + 1 };
        size_t k = i - 4091;
        bool in = i >= 4091 && k < 4 * COMM_PAGE && !(k / COMM_PAGE == 2 && k % COMM_PAGE >= 100);
        assert_int_equal(*own_at(i), in ? from[k / COMM_PAGE] : 0xee);
    }
    assert_int_equal(try(portal_read, &(struct comm_long){ .comm = { .id = (u16)id, .owner = OWNER } }), -EACCES);
}

/* Whatever the moment: not before the engine is done, and no buffer is missing afterwards. */
static void a_long_transfer_that_is_lost_or_dropped_ends_when_the_engine_has_done(void **state)
{
    for (unsigned way = 0; way < 4; way++) {
        bool lost = way & 1;
        s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .node = 2, .port = 0);
        struct comm_long w = long_transfer(out, 3 * COMM_PAGE, 0), r = long_transfer(in, 3 * COMM_PAGE, 0);
        const struct lane_message data = page(4, 2, 7, 70);
        CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
        say(1, &data);
        assert_int_equal(try(portal_write, &w), REQUEST_PENDING);
        assert_int_equal(try(portal_read, &r), REQUEST_PENDING);
        if (lost)
            restart_others();
        if (way & 2) {
            assert_false(portal_drop_long(&w.comm.request, true));
            assert_false(portal_drop_long(&r.comm.request, true));
            engine_works();
            assert_true(portal_drop_long(&w.comm.request, true));
            assert_true(portal_drop_long(&r.comm.request, true));
        } else if (lost) {
            assert_int_equal(try(portal_write, &w), REQUEST_PENDING);
            assert_int_equal(try(portal_read, &r), REQUEST_PENDING);
            engine_works();
            assert_int_equal(try(portal_write, &w), -EIO);
            assert_int_equal(try(portal_read, &r), -EIO);
        } else {
            engine_works();
            assert_true(portal_drop_long(&w.comm.request, true)); /* filled, and not sent */
            assert_true(portal_drop_long(&r.comm.request, true)); /* read, and not said so */
        }
        if (lost)
            nothing_heard(1);
        else
            assert_int_equal(freed(1), 7);
        look();
        assert_int_equal(CALL(portal_close, .id = (u16)in), 0);
        if (way == 3) /* the loss was not told yet */
            assert_int_equal(CALL(portal_begin, .id = (u16)out), -EIO);
        for (unsigned i = 0; i < BUFFERS; i++) {
            written(out, OWNER, 1);
            heard(2);
            look();
        }
        assert_int_equal(CALL(portal_close, .id = (u16)out, .type = 1), 0);
        restart_others();
    }
}

static void a_long_read_from_a_cluster_that_starts_again_is_an_error_and_no_zeros(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    struct comm_long l = long_transfer(id, 2 * COMM_PAGE, 0);
    const struct lane_message data = page(4, 2, 7, COMM_PAGE);
    CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2);
    fill_buffer(1, 7);
    say(1, &data);
    assert_int_equal(try(portal_read, &l), REQUEST_PENDING);
    assert_true(l.job.busy);
    starts_again(1);
    engine_works();
    assert_int_equal(try(portal_read, &l), -EIO);
    assert_int_equal(CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2), 0);
}

static void a_long_read_has_pages_of_one_life_alone(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    struct comm_long l = long_transfer(id, 3 * COMM_PAGE, 0);
    say_page(first_life, 4, 1, COMM_PAGE);
    say_page(second_life, 4, 2, COMM_PAGE);
    now_owned_by(second_life);
    CALL(portal_allow, .id = (u16)id, .node = 1, .port = OTHERS_OWN); /* drops the first one */
    assert_int_equal(try(portal_read, &l), REQUEST_PENDING);
    assert_int_equal(l.job.n, 1);
    assert_int_equal(l.job.page[0].buffer, 2);
    engine_works();
    assert_int_equal(try(portal_read, &l), REQUEST_PENDING);
    now_owned_by(0);
    say_page(second_life + LANE_STEP, 4, 3, COMM_PAGE);
    assert_int_equal(try(portal_read, &l), -EIO);
}

/* Others wait until there is room in the engine's ring. */
static void transfers_to_different_clusters_go_on_at_once(void **state)
{
    s64 first = CALL(portal_open, .node = 1, .port = 3), second = CALL(portal_open, .node = 2, .port = 3);
    s64 third = CALL(portal_open, .node = 2, .port = 4), in = CALL(portal_create, .port = 4);
    struct comm_long a = long_transfer(first, 2 * COMM_PAGE, 0), b = long_transfer(second, 2 * COMM_PAGE, 0);
    struct comm_long c = long_transfer(third, 2 * COMM_PAGE, 0), d = long_transfer(in, COMM_PAGE, 0);
    const struct lane_message data = page(4, 2, 7, 70);
    CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
    say(1, &data);
    assert_int_equal(try(portal_write, &a), REQUEST_PENDING);
    assert_int_equal(try(portal_write, &b), REQUEST_PENDING);
    assert_int_equal(try(portal_write, &c), REQUEST_PENDING);
    assert_int_equal(try(portal_read, &d), REQUEST_PENDING);
    assert_int_equal(n_jobs, 2);
    assert_int_equal(c.job.n, 0);
    assert_int_equal(d.job.n, 0);
    engine_works();
    assert_int_equal(try(portal_write, &c), REQUEST_PENDING);
    assert_int_equal(try(portal_write, &b), 0);
    assert_int_equal(try(portal_write, &a), 0);
    assert_int_equal(try(portal_read, &d), REQUEST_PENDING);
    engine_works();
    assert_int_equal(try(portal_write, &c), 0);
    assert_int_equal(try(portal_read, &d), 0);
}

/* The reader came first, so it is tried first; the writer has four buffers only. */
static void a_long_transfer_to_oneself(void **state)
{
    s64 away = CALL(portal_open, .node = 1, .port = 3);
    for (unsigned i = 0; i < BUFFERS - 4; i++) {
        written(away, OWNER, 1);
        heard(1);
        look();
    }
    s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .node = 0, .port = 4);
    struct comm_long w = long_transfer(out, 6 * COMM_PAGE, 0), r = long_transfer(in, 6 * COMM_PAGE, 6 * COMM_PAGE);
    CALL(portal_allow, .id = (u16)in, .node = 0, .port = 0);
    number_own(3);
    s64 written = REQUEST_PENDING, read = REQUEST_PENDING;
    for (agains = 1; read == REQUEST_PENDING;) {
        assert_true(n_jobs || agains); /* or nobody would try again */
        engine_works();
        agains = 0;
        read = try(portal_read, &r);
        if (written == REQUEST_PENDING) {
            written = try(portal_write, &w);
            agains += written != REQUEST_PENDING; /* as the master does */
        }
    }
    assert_int_equal(written, 0);
    assert_int_equal(read, 0);
    for (size_t i = 0; i < 6 * COMM_PAGE; i++)
        assert_int_equal(*own_at(6 * COMM_PAGE + i), *own_at(i));
}

static void a_signal_ends_a_transfer_that_has_not_begun(void **state)
{
    s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .node = 1, .port = 3);
    struct comm wait = { .id = (u16)in }, begin = { .id = (u16)out, .size = 1 };
    struct comm_long r = long_transfer(in, COMM_PAGE, 0), w = long_transfer(out, 3 * COMM_PAGE, 0);
    const struct lane_message data[] = { page(4, 2, 7, 70), page(4, 2, 6, 60) };
    CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
    assert_int_equal(try(portal_read, &r), REQUEST_PENDING);
    assert_true(interrupt(&r.comm));
    assert_int_equal(CALL(portal_aread, .id = (u16)in, .size = 60), 0); /* the permission is still there */
    assert_int_equal(serve(portal_wait, &wait), REQUEST_PENDING);
    assert_true(interrupt(&wait));
    say(1, &data[0]);
    assert_int_equal(serve(portal_wait, &wait), 0);
    assert_int_equal(wait.size, 60);
    assert_int_equal(CALL(portal_taken, .id = (u16)in), 0);
    assert_int_equal(freed(1), 7);
    for (unsigned i = 0; i < BUFFERS; i++) {
        written(out, OWNER, 1);
        heard(1);
        look();
    }
    assert_int_equal(serve(portal_begin, &begin), REQUEST_PENDING);
    assert_true(interrupt(&begin));
    assert_int_equal(try(portal_write, &w), REQUEST_PENDING);
    assert_true(interrupt(&w.comm));
    assert_int_equal(CALL(portal_close, .id = (u16)out, .type = 1), 0);
}

static void a_signal_does_not_end_a_transfer_that_has_begun(void **state)
{
    s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .node = 1, .port = 3);
    struct comm c = { .id = (u16)out, .size = 1 };
    const struct lane_message data = page(4, 2, 7, 70);
    struct comm_long r = long_transfer(in, 2 * COMM_PAGE, 0), w = long_transfer(out, 12 * COMM_PAGE, 0);
    for (unsigned i = 0; i < 4; i++) {
        written(out, OWNER, 1);
        heard(1);
    }
    assert_int_equal(try(portal_write, &w), REQUEST_PENDING);
    assert_false(interrupt(&w.comm)); /* the engine fills buffers */
    engine_works();
    assert_false(interrupt(&w.comm)); /* they are full */
    assert_int_equal(try(portal_write, &w), REQUEST_PENDING);
    heard(1);
    engine_works();
    assert_int_equal(try(portal_write, &w), REQUEST_PENDING);
    assert_int_equal(w.job.n, 0);
    assert_false(interrupt(&w.comm)); /* the reader was told of some */
    assert_true(portal_drop_long(&w.comm.request, true));
    CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
    say(1, &data);
    assert_int_equal(try(portal_read, &r), REQUEST_PENDING);
    engine_works();
    assert_false(interrupt(&r.comm));
    assert_int_equal(try(portal_read, &r), REQUEST_PENDING);
    assert_false(interrupt(&r.comm));
    assert_true(portal_drop_long(&r.comm.request, true));
    restart_others();
    starts_again(2);
    peers_poll();
    out = CALL(portal_open, .node = 2, .port = 3);
    c.id = (u16)out;
    assert_int_equal(serve(portal_begin, &c), 0);
    assert_int_equal(serve(portal_send, &c), REQUEST_PENDING);
    assert_false(interrupt(&c)); /* full, and its reader's cluster has not begun */
}

/* Syncs */

static void the_one_waits_for_all_and_a_signal_may_be_early(void **state)
{
    struct lane_message m = signal_of(SYNC_ALL_TO_ONE, 0, 7);
    say(1, &m);
    s64 id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 3, .data = (u8[]){ 0, 2, 1 });
    struct comm c = { .id = (u16)id };
    assert_int_equal(serve(sync_wait, &c), REQUEST_PENDING);
    assert_int_equal(c.request.peers, 1u << 2);
    say(2, &m);
    assert_int_equal(serve(sync_wait, &c), 0);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
    assert_int_equal(CALL(sync_signal, .id = (u16)id), -EBADF);
    assert_int_equal(CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 3, .data = (u8[]){ 0, 2, 1 }), id);
    assert_int_equal(CALL(sync_close, .id = (u16)id, .type = 1), -EBADF);
    assert_int_equal(CALL(sync_close, .id = (u16)id), 0);
    assert_int_equal(CALL(sync_close, .id = (u16)id), 0);
    assert_int_equal(CALL(sync_close, .id = (u16)id), -EBADF);
}

static void the_one_signals_all(void **state)
{
    s64 id = CALL(sync_open, .type = SYNC_ONE_TO_ALL, .size = 3, .data = (u8[]){ 0, 1, 2 });
    assert_int_equal(CALL(sync_signal, .id = (u16)id), 0);
    for (unsigned n = 1; n < NOC_HOST; n++) {
        struct lane_message m = heard(n);
        assert_int_equal(m.kind, MESSAGE_SIGNAL);
        assert_int_equal(m.size, 8);
        assert_memory_equal(m.data, signal_of(SYNC_ONE_TO_ALL, 0, 7).data, 8);
    }
    assert_int_equal(CALL(sync_wait, .id = (u16)id), -EBADF);
}

/* The signal that names a sync, then `n` by its word. */
static void say_by_word(unsigned from, unsigned kind, struct lane_message m, unsigned n)
{
    m.to = (u8)(kind + 1);
    say(from, &m);
    noc_host_self = from;
    while (n--)
        assert_true(lane_signal(&other[from], kind));
    look();
}

static void a_sync_is_named_once_then_a_signal_is_a_word_and_sometimes_a_message(void **state)
{
    const unsigned signals = 70;
    unsigned messages = 0, words = 0;
    s64 id = CALL(sync_open, .type = SYNC_ONE_TO_ALL, .size = 2, .data = (u8[]){ 0, 1 });
    for (unsigned i = 0; i < signals; i++) {
        unsigned rings = noc_host_rings[1];
        struct lane_message m;
        assert_int_equal(CALL(sync_signal, .id = (u16)id), 0);
        assert_true(noc_host_rings[1] > rings);
        noc_host_self = 1;
        look_at(&other[1]);
        if (!lane_peek(&other[1], LANE_SIGNALLED, 0, &m)) {
            assert_in_range(m.to, 1, LANE_SIGNALS);
            messages++;
            lane_take(&other[1], LANE_SIGNALLED, 0);
        }
        for (unsigned k = 0; k < LANE_SIGNALS; k++)
            while (lane_take_signal(&other[1], k))
                words++;
        assert_int_equal(messages + words, i + 1);
        look();
    }
    assert_int_equal(messages, 3); /* of 70: the first, and each 32nd after it */
    begin_life(1);                 /* it knows nothing any more */
    look();
    assert_int_equal(CALL(sync_signal, .id = (u16)id), -EIO);
    nothing_heard(1);
    assert_int_equal(CALL(sync_signal, .id = (u16)id), 0);
    assert_in_range(heard(1).to, 1, LANE_SIGNALS);
    assert_int_equal(CALL(sync_signal, .id = (u16)id), 0);
    nothing_heard(1);
    noc_host_self = 1;
    for (unsigned k = words = 0; k < LANE_SIGNALS; k++)
        while (lane_take_signal(&other[1], k))
            words++;
    assert_int_equal(words, 1);
}

/* Nothing of theirs is taken; what is sent fills the lane in the end. */
static void who_signals_a_cluster_that_does_not_answer_is_told(void **state)
{
    s64 id = CALL(sync_open, .type = SYNC_ONE_TO_ALL, .size = 2, .data = (u8[]){ 0, 1 });
    unsigned n = 0;
    while (n < 1000 && !CALL(sync_signal, .id = (u16)id))
        n++;
    assert_in_range(n, 33, 3 * 32);
    assert_int_equal(CALL(sync_signal, .id = (u16)id), REQUEST_PENDING);
    struct comm c = { .id = (u16)id };
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(serve(sync_signal, &c), REQUEST_PENDING);
}

static void a_signal_ends_a_wait_or_signal_of_which_nobody_has_a_part(void **state)
{
    s64 in = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 3, .data = (u8[]){ 0, 1, 2 });
    s64 out = CALL(sync_open, .type = SYNC_ONE_TO_ALL, .size = 3, .data = (u8[]){ 0, 1, 2 });
    struct comm wait = { .id = (u16)in }, none = { .id = (u16)out }, some = { .id = (u16)out };
    const struct lane_message m = signal_of(SYNC_ALL_TO_ONE, 0, 7);
    say(1, &m);
    assert_int_equal(serve(sync_wait, &wait), REQUEST_PENDING);
    assert_true(interrupt(&wait));
    say(2, &m); /* finds nobody that waits */
    assert_int_equal(CALL(sync_wait, .id = (u16)in), 0);
    for (unsigned i = 1; i < NOC_HOST; i++)
        fill_slots(i, MESSAGE_SIGNAL);
    for (unsigned i = 0; i < 40; i++) { /* it stays the first one, which is a message */
        none = (struct comm){ .id = (u16)out };
        assert_int_equal(serve(sync_signal, &none), REQUEST_PENDING);
        assert_true(interrupt(&none));
    }
    heard(1);
    look();
    assert_int_equal(serve(sync_signal, &some), REQUEST_PENDING); /* cluster 1 has it */
    assert_false(interrupt(&some));
    heard(2);
    look();
    assert_int_equal(serve(sync_signal, &some), 0);
    for (unsigned n = 1; n < NOC_HOST; n++) {
        assert_int_equal(heard(n).size, 1);
        assert_int_equal(heard(n).size, sizeof(union sync_name));
        nothing_heard(n);
    }
}

/* Signal cluster 1, which takes everything meanwhile. */
static void signal_one(s64 id)
{
    assert_int_equal(CALL(sync_signal, .id = (u16)id), 0);
    look();
}

static void the_32nd_signal_stays_a_message_when_its_call_is_made_again(void **state)
{
    s64 id = CALL(sync_open, .type = SYNC_ONE_TO_ALL, .size = 2, .data = (u8[]){ 0, 1 });
    struct comm c = { .id = (u16)id };
    for (unsigned i = 0; i < 32; i++)
        signal_one(id);
    assert_int_equal(heard(1).kind, MESSAGE_SIGNAL);
    nothing_heard(1);
    unsigned n = fill_slots(1, MESSAGE_SIGNAL);
    assert_int_equal(serve(sync_signal, &c), REQUEST_PENDING);
    assert_true(interrupt(&c));
    while (n--)
        assert_int_equal(heard(1).size, 1);
    signal_one(id);
    assert_int_equal(heard(1).size, sizeof(union sync_name));
}

static void each_signal_by_a_word_ends_one_wait(void **state)
{
    const struct lane_message name = signal_of(SYNC_ALL_TO_ONE, 0, 3);
    say_by_word(1, 2, name, 2); /* before it is made */
    s64 id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 });
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(CALL(sync_wait, .id = (u16)id), 0);
    struct comm c = { .id = (u16)id };
    assert_int_equal(serve(sync_wait, &c), REQUEST_PENDING);
    noc_host_self = 1;
    lane_signal(&other[1], 2);
    noc_host_self = 0;
    assert_true(peers_poll());
    assert_true(peers_got());
    assert_int_equal(c.request.state, REQUEST_DONE);
    assert_int_equal(serve(sync_wait, &c), 0);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
    struct comm first = { .id = (u16)id }, second = { .id = (u16)id };
    assert_int_equal(serve(sync_wait, &first), REQUEST_PENDING);
    assert_int_equal(serve(sync_wait, &second), REQUEST_PENDING);
    noc_host_self = 1;
    lane_signal(&other[1], 2);
    assert_int_equal(serve(sync_wait, &second), REQUEST_PENDING); /* the first one has it */
    assert_int_equal(first.request.state, REQUEST_DONE);
    noc_host_self = 1;
    lane_signal(&other[1], 2);
    assert_int_equal(serve(sync_wait, &second), 0); /* by itself, before the master looks */
    noc_host_self = 1;
    lane_signal(&other[1], 2);
    noc_host_self = 0;
    peers_poll();
    assert_int_equal(second.request.state, REQUEST_AWAITED); /* it is not finished twice */
    assert_int_equal(CALL(sync_wait, .id = (u16)id), 0);
    struct comm left = { .id = (u16)id };
    assert_int_equal(serve(sync_wait, &left), REQUEST_PENDING);
    assert_int_equal(CALL(sync_close, .id = (u16)id), 0);
    noc_host_self = 1;
    lane_signal(&other[1], 2);
    noc_host_self = 0;
    peers_poll();
    assert_int_equal(left.request.state, REQUEST_AWAITED); /* it is no longer waited for */
    assert_int_equal(serve(sync_wait, &left), -EBADF);
    id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 });
    assert_int_equal(CALL(sync_wait, .id = (u16)id), 0);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
    say_by_word(1, 2, name, 2); /* for nobody any more */
    assert_int_equal(CALL(sync_close, .id = (u16)id), 0);
    noc_host_self = 1;
    lane_signal(&other[1], 2);
    look();
    id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 });
    assert_int_equal(CALL(sync_wait, .id = (u16)id), 0);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
}

static void a_signal_by_a_word_is_no_vain_ring_but_nothing_is(void **state)
{
    say_by_word(1, 0, signal_of(SYNC_ALL_TO_ONE, 0, 3), 1);
    peers_poll();
    assert_false(peers_got());
    noc_host_self = 1;
    lane_signal(&other[1], 0); /* nobody waits */
    noc_host_self = 0;
    peers_poll();
    assert_true(peers_got());
    peers_poll();
    assert_false(peers_got());
}

static void a_word_of_another_run_or_of_no_sync_is_no_signal(void **state)
{
    const struct lane_message name = signal_of(SYNC_ALL_TO_ONE, 0, 7), other_name = signal_of(SYNC_ALL_TO_ONE, 0, 3);
    s64 id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 3, .data = (u8[]){ 0, 1, 2 }),
        pair = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 });
    noc_host_self = 1;
    lane_signal(&other[1], 3); /* not named */
    say_by_word(2, 0, name, 3);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
    say_by_word(1, 0, name, 1);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), 0);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), 0);
    begin_life(1);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING); /* its count is 0 now */
    look();
    noc_host_self = 1;
    lane_signal(&other[1], 0); /* named in an earlier run */
    look();
    assert_int_equal(CALL(sync_wait, .id = (u16)id), -EIO);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
    say_by_word(1, 0, name, 0);
    say_by_word(1, 0, other_name, 1); /* a lie: the number belongs to `name` */
    assert_int_equal(CALL(sync_wait, .id = (u16)id), 0);
    assert_int_equal(CALL(sync_wait, .id = (u16)id), REQUEST_PENDING);
    assert_int_equal(CALL(sync_wait, .id = (u16)pair), 0);
}

static void a_wait_for_a_cluster_that_is_lost_ends(void **state)
{
    s64 id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 });
    struct comm c = { .id = (u16)id };
    assert_int_equal(serve(sync_wait, &c), REQUEST_PENDING);
    begin_life(1);
    look();
    assert_int_equal(serve(sync_wait, &c), -EIO);
}

/* Also a loss between two operations. */
static void a_read_from_a_cluster_that_was_lost_is_an_error_once(void **state)
{
    s64 in = CALL(mailbox_create, .port = 1), out = CALL(mailbox_open, .node = 1, .port = 3);
    begin_life(1);
    look();
    CALL(mailbox_aread, .id = (u16)in, .size = 4);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)in), REQUEST_PENDING); /* from anybody */
    CALL(mailbox_filter, .id = (u16)in, .node = 2, .port = COMM_PORTS);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)in), REQUEST_PENDING); /* from another one */
    struct lane_message right = mail(1, 0, 1);
    say(2, &right);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)in), 0);
    CALL(mailbox_filter, .id = (u16)in, .node = 1, .port = COMM_PORTS);
    CALL(mailbox_aread, .id = (u16)in, .size = 4);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)in), -EIO);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)in), -EBADF);
    assert_int_equal(CALL(mailbox_awrite, .id = (u16)out, .size = 1), -EIO);
    assert_int_equal(CALL(mailbox_awrite, .id = (u16)out, .size = 1), 0);
}

static void a_cluster_that_is_lost_any_number_of_times_is_an_error_once(void **state)
{
    s64 out = CALL(mailbox_open, .node = 1, .port = 3), other_out = CALL(mailbox_open, .node = 2, .port = 3);
    static const unsigned times[] = { 1, 2, 255, 256, 257, 512 };
    for (unsigned i = 0; i < ARRAY_SIZE(times); i++) {
        for (unsigned n = 0; n < times[i]; n++) {
            begin_life(1);
            look();
        }
        assert_int_equal(CALL(mailbox_write, .id = (u16)out, .size = 1), -EIO);
        assert_int_equal(CALL(mailbox_write, .id = (u16)out, .size = 1), 0);
        assert_int_equal(CALL(mailbox_write, .id = (u16)other_out, .size = 1), 0);
        heard(1);
        heard(2);
    }
}

static void a_silent_cluster_is_lost_after_a_while(void **state)
{
    noc_host_self = 0;
    struct peer_watch *watch = &portals[CALL(portal_create, .port = 1)].end.watch;
    peer_ask(1);
    host_now += noc_patience() + 1000;
    peers_poll();
    assert_true(peer_watch_lost(watch, 1));
    assert_false(peer_watch_lost(watch, 1));
    assert_false(peer_watch_lost(watch, 2));
    look(); /* it is there again, and answers once more */
    assert_false(peer_watch_lost(watch, 1));
    peer_ask(1);
    look();
    assert_false(peer_watch_lost(watch, 1));
    host_now += noc_patience() + 1000;
    peers_poll();
    assert_false(peer_watch_lost(watch, 1));
    for (unsigned i = 0; i < 3; i++) { /* and is silent again and again: no old answer counts */
        peers_poll();
        peer_ask(1);
        peers_poll();
        host_now += noc_patience() + 1000;
        peers_poll();
        assert_true(peer_watch_lost(watch, 1));
    }
}

static void wrong_lists_are_no_sync(void **state)
{
    assert_int_equal(CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 1, .data = (u8[]){ 0 }), -EINVAL);
    assert_int_equal(CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 0 }), -EINVAL);
    assert_int_equal(CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, NOC_HOST }), -EINVAL);
    assert_int_equal(CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 1, 2 }), -EINVAL);
    assert_int_equal(CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 1, 0 }), -EINVAL);
    assert_int_equal(CALL(sync_open, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 }), -EINVAL);
    assert_int_equal(CALL(sync_create, .type = 2, .size = 2, .data = (u8[]){ 0, 1 }), -EINVAL);
    assert_int_equal(CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 4, .data = (u8[]){ 0, 1, 2, 3 }), -EINVAL);
}

/* Clusters that write anything anywhere: nothing but errors, and cluster 2's messages come through afterwards. */
static void rubbish_in_every_word_is_only_an_error(void **state)
{
    u32 seed = 1;
    s64 box = CALL(mailbox_create, .port = 1), in = CALL(portal_create, .port = 1),
        out = CALL(portal_open, .node = 1, .port = 2);
    s64 sync = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 });
    for (unsigned i = 0; i < 20000; i++) {
        seed = seed * 1664525 + 1013904223;
        union data data;
        struct lane_message m = { .data = data.byte,
                                  .kind = seed >> 7 & LANE_KIND_LITTLE,
                                  .to = seed >> 11 & 15,
                                  .from = seed >> 15 & 15,
                                  .size = (u8)(1 + (seed >> 19 & 127)) };
        for (unsigned k = 0; k < sizeof(data); k++)
            data.byte[k] = (u8)(seed >> (k % 24)) & (seed & 1 ? 3 : 0xff);
        noc_host_self = 1;
        host_now++;
        look_at(&other[1]);
        m.size = m.kind == LANE_KIND_LITTLE ? (u8)(1 + m.size % LANE_LITTLE) : m.size;
        lane_send(&other[1], &m);
        if (seed >> 28 == 0)
            noc_host_memory[1][seed >> 4 & 0xffff] ^= (u8)seed;
        look();
        struct lane_message taken;
        noc_host_self = 1;
        for (unsigned row = 0; row < LANE_ROWS; row++)
            if (!lane_peek(&other[1], row, 0, &taken))
                lane_take(&other[1], row, 0);
        struct lane_page told[LANE_BUFFERS];
        if (lane_take_notices(&other[1], told) > 0 && seed >> 9 & 3)
            lane_give_back(&other[1], seed >> 10 & 1 ? 1u << told[0].buffer : seed >> 16);
        const struct dma_page lie = { .size = (u16)(1 + (seed >> 6) % COMM_PAGE), .buffer = seed >> 13 & 15 };
        if (seed >> 30)
            lane_notify(&other[1], seed >> 11 & 0xff, seed >> 3, &lie, 1);
        CALL(portal_allow, .id = (u16)in, .node = 1, .port = seed >> 20 & 15);
        CALL(portal_aread, .id = (u16)in, .size = 10);
        struct comm c = { .id = (u16)in };
        if (!serve(portal_wait, &c)) {
            assert_in_range(c.size, 1, 10);
            assert_true((const u8 *)c.room >= (const u8 *)noc_outbox_of(1) &&
                        (const u8 *)c.room + COMM_PAGE <= (const u8 *)noc_outbox_of(1) + NOC_OUTBOX);
            CALL(portal_taken, .id = (u16)in);
        }
        struct comm page = { .id = (u16)out, .size = 5 };
        if (!serve(portal_begin, &page))
            serve(portal_send, &page);
        CALL(portal_wait, .id = (u16)out);
        CALL(sync_wait, .id = (u16)sync);
        CALL(mailbox_aread, .id = (u16)box, .size = 9);
        CALL(mailbox_wait, .id = (u16)box);
    }
    s64 quiet = CALL(mailbox_create, .port = 7);
    while (!CALL(mailbox_aread, .id = (u16)quiet, .size = 4) && !CALL(mailbox_wait, .id = (u16)quiet))
        ;
    struct lane_message m = mail(7, 0, 42);
    struct comm c = { .id = (u16)quiet };
    CALL(mailbox_filter, .id = (u16)quiet, .node = 2, .port = COMM_PORTS);
    say(2, &m);
    assert_int_equal(serve(mailbox_wait, &c), 0);
    assert_int_equal(c.data[0], 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_read_once_and_padded),
        TEST(messages_of_a_sender_keep_their_order_and_come_before_the_mailbox),
        TEST(a_filter_takes_one_sender_and_one_message),
        TEST(a_sender_that_floods_a_port_leaves_room_for_others),
        TEST(a_sender_is_told_that_its_reader_is_slow),
        TEST(mailbox_errors),
        TEST(a_mailbox_whose_message_was_passed_stays),
        TEST(a_descriptor_is_its_makers_alone),
        TEST(a_write_waits_for_room_in_the_lane),
        TEST(a_message_of_a_cluster_that_starts_again_comes_whole_or_not_at_all),
        TEST(write_and_read_are_one_request_each),
        TEST(a_signal_ends_a_wait_for_mail_and_loses_no_message),
        TEST(a_receiver_is_told_the_senders_cluster_and_port),
        TEST(a_receiver_keeps_its_filter_and_leaves_none),
        TEST(a_try_to_write_does_not_wait_for_room),
        TEST(a_signal_ends_no_other_threads_read),
        TEST(a_write_ends_before_its_reader_allows_it),
        TEST(a_try_to_write_a_page_waits_for_no_reader),
        TEST(a_buffer_is_free_when_its_reader_says_so),
        TEST(a_page_comes_in_when_it_is_allowed),
        TEST(data_wait_for_who_allows_them_in_their_order),
        TEST(what_comes_too_early_is_for_the_next_portal_at_its_port),
        TEST(the_end_of_a_reader_gives_buffers_back),
        TEST(a_reader_or_writer_that_is_lost_ends_the_transfer),
        TEST(a_page_of_a_cluster_that_starts_again_is_an_error_and_no_zeros),
        TEST(one_writes_to_oneself),
        TEST(a_permission_is_for_one_life_of_a_writer_whose_end_is_told),
        TEST(a_wait_for_a_writer_that_ends_ends),
        TEST(the_end_of_a_writer_lets_those_be_tried_that_wait_for_it),
        TEST(data_of_a_former_life_are_dropped_and_counted_when_the_next_one_is_allowed),
        TEST(a_message_is_read_of_the_process_that_the_filter_means),
        TEST(a_cluster_says_which_life_of_a_process_sends_from_a_port),
        TEST(a_page_for_a_former_life_is_not_sent_to_the_next_one),
        TEST(a_process_reads_of_another_one_of_its_cluster_until_that_ends),
        TEST(a_long_write_is_a_write_of_each_page),
        TEST(a_long_write_takes_half_of_the_buffers_and_waits_for_more),
        TEST(a_long_read_takes_pages_in_their_order_into_its_memory_alone),
        TEST(a_long_transfer_that_is_lost_or_dropped_ends_when_the_engine_has_done),
        TEST(a_long_read_from_a_cluster_that_starts_again_is_an_error_and_no_zeros),
        TEST(a_long_read_has_pages_of_one_life_alone),
        TEST(transfers_to_different_clusters_go_on_at_once),
        TEST(a_long_transfer_to_oneself),
        TEST(a_signal_ends_a_transfer_that_has_not_begun),
        TEST(a_signal_does_not_end_a_transfer_that_has_begun),
        TEST(the_one_waits_for_all_and_a_signal_may_be_early),
        TEST(the_one_signals_all),
        TEST(a_sync_is_named_once_then_a_signal_is_a_word_and_sometimes_a_message),
        TEST(who_signals_a_cluster_that_does_not_answer_is_told),
        TEST(a_signal_ends_a_wait_or_signal_of_which_nobody_has_a_part),
        TEST(the_32nd_signal_stays_a_message_when_its_call_is_made_again),
        TEST(each_signal_by_a_word_ends_one_wait),
        TEST(a_signal_by_a_word_is_no_vain_ring_but_nothing_is),
        TEST(a_word_of_another_run_or_of_no_sync_is_no_signal),
        TEST(a_wait_for_a_cluster_that_is_lost_ends),
        TEST(a_read_from_a_cluster_that_was_lost_is_an_error_once),
        TEST(a_cluster_that_is_lost_any_number_of_times_is_an_error_once),
        TEST(a_silent_cluster_is_lost_after_a_while),
        TEST(wrong_lists_are_no_sync),
        TEST(rubbish_in_every_word_is_only_an_error),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
