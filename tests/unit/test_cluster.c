/* SPDX-License-Identifier: MIT */
/*
 * Mailboxes, portals and syncs of cluster 0, as its master serves them; the test is the programs of cluster 0 and, by
 * lanes of its own, clusters 1 and 2, which may be right, silent or hostile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cluster/comm.h>
#include <cluster/peer.h>
#include <core/init.h>
#include <errors.h>
#include <hal/time.h>

#include "noc_host.h"

#define OWNER 3

ticks_t host_now;
static struct lane other[NOC_HOST]; /* of clusters 1 and 2, to 0 */

ticks_t time_from_ns(u64 ns) { return ns; }

s64 request_pending(struct request *r, unsigned node)
{
    r->peer = (u8)node;
    return REQUEST_PENDING;
}

/* One try of the master. */
static s64 serve(s64 (*what)(struct request *r), struct comm *c)
{
    static u8 room[COMM_MESSAGE];
    noc_host_self = 0;
    if (!c->data)
        c->data = room;
    c->owner = c->owner ? c->owner : OWNER;
    c->request.peer = REQUEST_NOBODY;
    return what(&c->request);
}
#define CALL(what, ...) serve(what, &(struct comm){ __VA_ARGS__ })

static void look(void)
{
    for (unsigned round = 0; round < 4; round++) {
        noc_host_self = 0;
        peers_poll();
        for (unsigned n = 1; n < NOC_HOST; n++) {
            noc_host_self = n;
            lane_poll(&other[n]);
        }
    }
    noc_host_self = 0;
}

static void say(unsigned from, const struct lane_message *m)
{
    noc_host_self = from;
    assert_int_equal(lane_send(&other[from], m), 0);
    look();
}

/* What cluster 0 sent to `to`. */
static struct lane_message heard(unsigned to)
{
    struct lane_message m;
    noc_host_self = to;
    assert_int_equal(lane_poll(&other[to]), 0);
    assert_int_equal(lane_peek(&other[to], &m), 0);
    lane_take(&other[to]);
    noc_host_self = 0;
    return m;
}

static void nothing_heard(unsigned to)
{
    struct lane_message m;
    noc_host_self = to;
    lane_poll(&other[to]);
    assert_int_equal(lane_peek(&other[to], &m), -EAGAIN);
    noc_host_self = 0;
}

static int begin(void **state)
{
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    return 0;
}

static int setup(void **state)
{
    host_now += 1000;
    memset(noc_host_seen, 0, sizeof(noc_host_seen));
    memset(noc_host_memory, 0, sizeof(noc_host_memory));
    noc_host_self = 0;
    peers_start();
    for (unsigned n = 1; n < NOC_HOST; n++) {
        noc_host_self = n;
        lane_start(&other[n], 0);
    }
    look();
    return 0;
}

static int teardown(void **state)
{
    mailbox_close_all(OWNER);
    sync_close_all(OWNER);
    portal_close_all(OWNER);
    look();
    return 0;
}

/* Mailboxes */

static struct lane_message mail(unsigned to, unsigned from, u8 word)
{
    return (struct lane_message){ .kind = MESSAGE_MAIL, .to = (u8)to, .from = (u8)from, .size = 4, .data = { word } };
}

static void a_message_is_read_once_and_padded(void **state)
{
    s64 id = CALL(mailbox_create, .node = 0, .port = 2);
    struct comm c = { .id = (u16)id };
    assert_in_range(id, 0, COMM_MAILBOXES - 1);
    say(1, &(struct lane_message){ .kind = MESSAGE_MAIL, .to = 2, .from = 5, .size = 2, .data = { 7, 8 } });
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
        say(1 + i % 2, &(struct lane_message){ .kind = MESSAGE_MAIL, .to = 1, .size = 1, .data = { i } });
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
        lane_poll(&other[1]);
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
    struct lane_message waiting = mail(1, 0, 1);
    say(1, &waiting);
    assert_int_equal(CALL(mailbox_close, .id = (u16)in), -EBUSY);
    for (unsigned i = 1; i < COMM_PORTS; i++)
        assert_true(CALL(mailbox_open, .node = 1, .port = 3) >= 0);
    assert_int_equal(CALL(mailbox_open, .node = 1, .port = 3), -EAGAIN);
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
    for (unsigned i = 0; i < LANE_SLOTS; i++)
        assert_int_equal(serve(mailbox_awrite, &c), 0);
    assert_int_equal(CALL(mailbox_wait, .id = (u16)out), 0);
    assert_int_equal(serve(mailbox_awrite, &c), REQUEST_PENDING);
    assert_int_equal(c.request.peer, 1);
    assert_int_equal(heard(1).data[0], 9);
    look();
    assert_int_equal(serve(mailbox_awrite, &c), 0);
}

/* Portals */

static void a_page_goes_out_when_it_is_allowed(void **state)
{
    s64 id = CALL(portal_open, .node = 1, .port = 3), own = CALL(portal_port, .id = (u16)id);
    struct comm c = { .id = (u16)id, .size = 100 };
    assert_int_equal(serve(portal_begin, &c), REQUEST_PENDING);
    say(1, &(struct lane_message){ .kind = MESSAGE_ALLOW, .to = (u8)own, .from = 3, .size = 1 });
    assert_int_equal(serve(portal_begin, &c), 0);
    assert_true((u8 *)c.room >= (u8 *)noc_outbox() + NOC_HOST * sizeof(struct lane_half));
    assert_true((u8 *)c.room + COMM_PAGE <= (u8 *)noc_outbox() + NOC_OUTBOX);
    assert_int_equal(CALL(portal_begin, .id = (u16)id), -EBUSY);
    assert_int_equal(serve(portal_send, &c), 0);
    struct lane_message m = heard(1);
    assert_int_equal(m.kind, MESSAGE_DATA);
    assert_int_equal(m.to, 3);
    assert_int_equal(m.from, own);
    assert_int_equal(m.data[1] | m.data[2] << 8, 100);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), REQUEST_PENDING);
    assert_int_equal(CALL(portal_close, .id = (u16)id, .type = 1), -EBUSY);
    say(2, &(struct lane_message){ .kind = MESSAGE_DONE, .size = 2, .data = { m.data[0], 0 } }); /* not the reader */
    assert_int_equal(CALL(portal_wait, .id = (u16)id), REQUEST_PENDING);
    say(1, &(struct lane_message){ .kind = MESSAGE_DONE, .size = 2, .data = { m.data[0], 0 } });
    assert_int_equal(CALL(portal_wait, .id = (u16)id), 0);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBADF);
    assert_int_equal(serve(portal_begin, &c), REQUEST_PENDING); /* one allow, one transfer */
}

static void a_page_comes_in_when_it_is_allowed(void **state)
{
    s64 id = CALL(portal_create, .port = 4);
    struct comm c = { .id = (u16)id };
    struct lane_message data = { .kind = MESSAGE_DATA, .to = 4, .from = 2, .size = 3, .data = { 1, 50, 0 } };
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = 60), -EACCES);
    say(1, &data); /* not allowed: refused at once, the sender's buffer is free again */
    struct lane_message refused = heard(1);
    assert_int_equal(refused.kind, MESSAGE_DONE);
    assert_int_equal(refused.data[0] | refused.data[1] << 8, 1 | 1 << 8);
    assert_int_equal(CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2), 0);
    assert_int_equal(CALL(portal_allow, .id = (u16)id, .node = 1, .port = 2), -EBUSY);
    assert_int_equal(heard(1).kind, MESSAGE_ALLOW);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBADF);
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = 60, .user = 0x2000), 0);
    assert_int_equal(serve(portal_wait, &c), REQUEST_PENDING);
    const u8 wrong[][3] = { { 14, 50, 0 }, { 255, 50, 0 }, { 1, 0, 0 }, { 1, 1, 16 } };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct lane_message lie = data;
        memcpy(lie.data, wrong[i], sizeof(wrong[i]));
        say(1, &lie); /* no buffer of an outbox, or no length of one */
        assert_int_equal(serve(portal_wait, &c), REQUEST_PENDING);
    }
    say(2, &data); /* another cluster, the same ports: refused */
    assert_int_equal(heard(2).data[1], 1);
    say(1, &data);
    assert_int_equal(serve(portal_wait, &c), 0);
    assert_int_equal(c.size, 50);
    assert_int_equal(c.user, 0x2000);
    assert_int_equal((const u8 *)c.room - (const u8 *)noc_outbox_of(1),
                     NOC_HOST * sizeof(struct lane_half) + 2048 + COMM_PAGE);
    assert_int_equal(CALL(portal_wait, .id = (u16)id), -EBUSY);
    nothing_heard(1);
    assert_int_equal(CALL(portal_taken, .id = (u16)id), 0);
    assert_int_equal(heard(1).data[1], 0);
    assert_int_equal(CALL(portal_aread, .id = (u16)id, .size = 60), -EACCES);
}

static void a_reader_or_writer_that_is_lost_ends_the_transfer(void **state)
{
    s64 in = CALL(portal_create, .port = 4), out = CALL(portal_open, .node = 2, .port = 0);
    struct comm c = { .id = (u16)out, .size = 1 };
    CALL(portal_allow, .id = (u16)in, .node = 1, .port = 2);
    CALL(portal_aread, .id = (u16)in, .size = 60);
    say(2, &(struct lane_message){ .kind = MESSAGE_ALLOW, .to = 0, .from = 0, .size = 1 });
    assert_int_equal(serve(portal_begin, &c), 0);
    assert_int_equal(serve(portal_send, &c), 0);
    for (unsigned n = 1; n < NOC_HOST; n++) {
        host_now++;
        noc_host_self = n;
        lane_start(&other[n], 0);
    }
    look();
    assert_int_equal(CALL(portal_wait, .id = (u16)in), -EIO);
    assert_int_equal(CALL(portal_wait, .id = (u16)out), -EIO);
    assert_int_equal(CALL(portal_close, .id = (u16)in), 0);
    assert_int_equal(CALL(portal_close, .id = (u16)out, .type = 1), 0);
}

/* Syncs */

static struct lane_message signal_of(unsigned type, u8 a, u8 b, u8 c)
{
    return (struct lane_message){ .kind = MESSAGE_SIGNAL, .size = 4, .data = { (u8)type, a, b, c } };
}

static void the_one_waits_for_all_and_a_signal_may_be_early(void **state)
{
    struct lane_message m = signal_of(SYNC_ALL_TO_ONE, 0, 2, 1);
    say(1, &m);
    s64 id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 3, .data = (u8[]){ 0, 2, 1 });
    struct comm c = { .id = (u16)id };
    assert_int_equal(serve(sync_wait, &c), REQUEST_PENDING);
    assert_int_equal(c.request.peer, 2);
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
        assert_int_equal(m.size, 4);
        assert_int_equal(m.data[0], SYNC_ONE_TO_ALL);
    }
    assert_int_equal(CALL(sync_wait, .id = (u16)id), -EBADF);
}

static void a_wait_for_a_cluster_that_is_lost_ends(void **state)
{
    s64 id = CALL(sync_create, .type = SYNC_ALL_TO_ONE, .size = 2, .data = (u8[]){ 0, 1 });
    struct comm c = { .id = (u16)id };
    assert_int_equal(serve(sync_wait, &c), REQUEST_PENDING);
    host_now++;
    noc_host_self = 1;
    lane_start(&other[1], 0);
    look();
    assert_int_equal(serve(sync_wait, &c), -EIO);
}

/* Also a loss between two operations. */
static void a_read_from_a_cluster_that_was_lost_is_an_error_once(void **state)
{
    s64 in = CALL(mailbox_create, .port = 1), out = CALL(mailbox_open, .node = 1, .port = 3);
    host_now++;
    noc_host_self = 1;
    lane_start(&other[1], 0);
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

static void a_silent_cluster_is_lost_after_a_while(void **state)
{
    noc_host_self = 0;
    struct peer_watch watch;
    peer_watch_start(&watch);
    peer_ask(1);
    host_now += REQUEST_PATIENCE + 1000;
    peers_poll();
    assert_true(peer_watch_lost(&watch, 1));
    assert_false(peer_watch_lost(&watch, 1));
    assert_false(peer_watch_lost(&watch, 2));
    look(); /* it is there again, and answers once more */
    assert_false(peer_watch_lost(&watch, 1));
    peer_ask(1);
    look();
    assert_false(peer_watch_lost(&watch, 1));
    host_now += REQUEST_PATIENCE + 1000;
    peers_poll();
    assert_false(peer_watch_lost(&watch, 1));
    for (unsigned i = 0; i < 3; i++) { /* and is silent again and again: no old answer counts */
        peers_poll();
        peer_ask(1);
        peers_poll();
        host_now += REQUEST_PATIENCE + 1000;
        peers_poll();
        assert_true(peer_watch_lost(&watch, 1));
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
        struct lane_message m = {
            .kind = seed >> 8 & 7, .to = seed >> 11 & 15, .from = seed >> 15 & 15, .size = (u8)(1 + (seed >> 19 & 127))
        };
        for (unsigned k = 0; k < sizeof(m.data); k++)
            m.data[k] = (u8)(seed >> (k % 24)) & (seed & 1 ? 3 : 0xff);
        noc_host_self = 1;
        host_now++;
        lane_poll(&other[1]);
        lane_send(&other[1], &m);
        if (seed >> 28 == 0)
            noc_host_memory[1][seed >> 4 & 0xffff] ^= (u8)seed;
        look();
        struct lane_message taken;
        noc_host_self = 1;
        if (!lane_peek(&other[1], &taken))
            lane_take(&other[1]);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_read_once_and_padded),
        TEST(messages_of_a_sender_keep_their_order_and_come_before_the_mailbox),
        TEST(a_filter_takes_one_sender_and_one_message),
        TEST(a_sender_that_floods_a_port_leaves_room_for_others),
        TEST(mailbox_errors),
        TEST(a_descriptor_is_its_makers_alone),
        TEST(a_write_waits_for_room_in_the_lane),
        TEST(a_page_goes_out_when_it_is_allowed),
        TEST(a_page_comes_in_when_it_is_allowed),
        TEST(a_reader_or_writer_that_is_lost_ends_the_transfer),
        TEST(the_one_waits_for_all_and_a_signal_may_be_early),
        TEST(the_one_signals_all),
        TEST(a_wait_for_a_cluster_that_is_lost_ends),
        TEST(a_read_from_a_cluster_that_was_lost_is_an_error_once),
        TEST(a_silent_cluster_is_lost_after_a_while),
        TEST(wrong_lists_are_no_sync),
        TEST(rubbish_in_every_word_is_only_an_error),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
