/* SPDX-License-Identifier: MIT */
/*
 * cluster_test.h - mailboxes, portals and syncs of cluster 0, as its master serves them; a test is the programs of
 * cluster 0 and, by lanes of its own, the other clusters, which may be right, silent or hostile.
 */
#ifndef AMALGAM_TESTS_CLUSTER_TEST_H
#define AMALGAM_TESTS_CLUSTER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cluster/comm.h>
#include <cluster/lane_signal.h>
#include <cluster/peer.h>
#include <cluster/portal.h>
#include <cluster/sync.h>
#include <core/domain.h>
#include <core/init.h>
#include <errors.h>
#include <hal/time.h>

#include "noc_host.h"

/* A message's data. */
#define BYTES(...) ((const union data){ .byte = { __VA_ARGS__ } }.byte)
union data {
    u8 byte[LANE_DATA];
    u64 align;
};

/* The same for a message that a function returns. */
static inline const u8 *kept(const u8 *bytes)
{
    static union data kept[64];
    static unsigned next;
    return memcpy(kept[next++ % 64].byte, bytes, LANE_DATA);
}

ticks_t host_now;
#define OWNER 3

unsigned n_domains = 1;
struct domain domains[SYS_MAX_DOMAINS] = { [OWNER].life = 1, [OWNER + 1].life = 1 };
static struct lane other[NOC_HOST]; /* of clusters 1 and 2, to 0 */
static u32 given_back_to[NOC_HOST]; /* of their seen.taken: what the test has heard of */
/* What a cluster says of buffers has no message: a test has it as if it had. DATA: of each page its buffer, and its
 * length in two bytes; DONE: buffers as bits, in two bytes. */
enum { MESSAGE_DATA = 4, MESSAGE_DONE = 6 };

ticks_t time_from_ns(u64 ns) { return ns; }

s64 request_pending(struct request *r, unsigned node)
{
    r->peers = 1u << node;
    return REQUEST_PENDING;
}

void request_finish(struct request *r, s64 result)
{
    r->result = result;
    r->state = REQUEST_DONE;
}

/* The engine: it has jobs until engine_works(). */
static struct dma_job *jobs[2];
static unsigned n_jobs, agains;

void request_again(void) { agains++; }

bool dma_is_there(void) { return true; }

bool dma_start(struct dma_job *j)
{
    if (n_jobs == ARRAY_SIZE(jobs))
        return false;
    j->busy = true;
    jobs[n_jobs++] = j;
    return true;
}

static inline void engine_works(void)
{
    for (unsigned i = 0; i < n_jobs; i++) {
        dma_copy(jobs[i]);
        jobs[i]->busy = false;
    }
    n_jobs = 0;
}

/* One try of the master, or what a pending one has come to. */
static inline s64 serve(s64 (*what)(struct request *r), struct comm *c)
{
    static u8 room[COMM_MESSAGE];
    if (c->request.state == REQUEST_DONE)
        return c->request.result;
    noc_host_self = 0;
    if (!c->data)
        c->data = room;
    c->owner = c->owner ? c->owner : OWNER;
    c->request.peers = 0;
    return what(&c->request);
}
/* One that is not tried again. */
static inline s64 serve_once(s64 (*what)(struct request *r), struct comm *c)
{
    s64 result = serve(what, c);
    if (result == REQUEST_PENDING && c->request.drop)
        c->request.drop(&c->request, true);
    return result;
}
/* A signal comes for the caller of a pending request. Returns whether it ends it. */
static inline bool interrupt(struct comm *c) { return !c->request.drop || c->request.drop(&c->request, false); }

#define CALL(what, ...) serve_once(what, &(struct comm){ __VA_ARGS__ })

/* As a sweep over the lanes does. */
static inline int look_at(struct lane *l)
{
    lane_is_quiet(l);
    return lane_poll(l);
}

static inline void look(void)
{
    for (unsigned round = 0; round < 4; round++) {
        noc_host_self = 0;
        peers_poll();
        for (unsigned n = 1; n < NOC_HOST; n++) {
            noc_host_self = n;
            look_at(&other[n]);
        }
    }
    noc_host_self = 0;
}

static inline int tell(struct lane *l, const struct lane_message *m)
{
    struct dma_page page[DMA_PAGES];
    if (m->kind == MESSAGE_DONE)
        lane_give_back(l, m->data[0] | (u32)m->data[1] << 8);
    if (m->kind != MESSAGE_DATA)
        return m->kind == MESSAGE_DONE ? 0 : lane_send(l, m);
    for (unsigned i = 0; i < m->size / 4u; i++) {
        const u8 *p = m->data + 4 * i;
        page[i] = (struct dma_page){ .buffer = p[0], .size = (u16)(p[1] | p[2] << 8) };
    }
    return lane_notify(l, portal_ports(m->to, m->from), m->of, page, m->size / 4u) ? 0 : -EAGAIN;
}

static inline void say(unsigned from, const struct lane_message *m)
{
    noc_host_self = from;
    assert_int_equal(tell(&other[from], m), 0);
    look();
}

/* Buffers of cluster `to` that cluster 0 has given back. */
static inline u32 heard_back(unsigned to)
{
    struct lane *l = &other[to];
    noc_host_self = to;
    u32 back = lane_given_back(l, given_back_to[to]);
    noc_host_self = 0;
    given_back_to[to] = l->seen.taken;
    return back;
}

/* Notices of one writer and reader. Returns false if there is none. */
static inline bool hear_pages(struct lane *l, struct lane_message *m)
{
    struct lane_page page[LANE_BUFFERS];
    u8 data[LANE_DATA] = { 0 };
    *m = (struct lane_message){ .kind = MESSAGE_DATA };
    const struct lane_page *end = page + lane_take_notices(l, page);
    for (const struct lane_page *p = page; p < end; p++) {
        assert_true(!m->size || (m->of == p->of && m->to == p->ports >> 4 && m->from == p->ports % 16));
        m->of = p->of;
        m->to = p->ports >> 4;
        m->from = p->ports % 16;
        data[m->size] = p->buffer;
        data[m->size + 1] = (u8)p->length;
        data[m->size + 2] = (u8)(p->length >> 8);
        m->size += 4;
    }
    m->data = kept(data);
    return m->size;
}

/* What cluster 0 sent to `to`. */
static inline struct lane_message heard(unsigned to)
{
    struct lane_message m;
    struct lane *l = &other[to];
    noc_host_self = to;
    assert_int_equal(look_at(l), 0);
    for (unsigned row = LANE_ROWS; row--;)
        if (!lane_peek(l, row, 0, &m)) {
            lane_take(l, row, 0);
            look();
            return m;
        }
    if (!hear_pages(l, &m)) {
        u32 back = heard_back(to);
        assert_true(back);
        m = (struct lane_message){ .kind = MESSAGE_DONE, .size = 2, .data = kept(BYTES((u8)back, (u8)(back >> 8))) };
    }
    look();
    return m;
}

static inline void nothing_heard(unsigned to)
{
    struct lane_message m;
    noc_host_self = to;
    look_at(&other[to]);
    for (unsigned row = 0; row < LANE_ROWS; row++)
        assert_int_equal(lane_peek(&other[to], row, 0, &m), -EAGAIN);
    assert_false(hear_pages(&other[to], &m));
    assert_int_equal(heard_back(to), 0);
    noc_host_self = 0;
}

/* A cluster starts, or starts again. */
static inline void begin_life(unsigned n)
{
    noc_host_begin_life(n);
    lane_start(&other[n], 0);
    given_back_to[n] = 0;
}

static inline void restart_others(void)
{
    for (unsigned n = 1; n < NOC_HOST; n++)
        begin_life(n);
    look();
}

static inline int begin(void **state)
{
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    return 0;
}

static inline int setup(void **state)
{
    host_now += 1000;
    memset(noc_host_seen, 0, sizeof(noc_host_seen));
    memset(noc_host_memory, 0, sizeof(noc_host_memory));
    noc_host_self = 0;
    peers_start();
    for (unsigned n = 1; n < NOC_HOST; n++)
        begin_life(n);
    look();
    return 0;
}

/* It has closed what it had; its domain's next start begins another life. */
static inline void process_ends(u16 owner)
{
    peer_end_owner(owner);
    domains[owner].life++;
}

static inline int teardown(void **state)
{
    mailbox_close_all(OWNER);
    sync_close_all(OWNER);
    portal_close_all(OWNER);
    process_ends(OWNER);
    restart_others(); /* what they have of us, and we of them, is lost */
    return 0;
}

/* The slots of a kind of messages to a cluster that takes nothing are used now. Returns how many that needed. */
static inline unsigned fill_slots(unsigned to, u8 kind)
{
    const struct lane_message m = { .kind = kind, .size = 1, .data = BYTES(0) };
    unsigned n = 0;
    while (!peer_send(to, &m))
        n++;
    return n;
}

/* Take all that cluster 0 has sent to `to`. Returns how many signals there are. */
static inline unsigned signals_heard(unsigned to)
{
    struct lane_message m;
    unsigned n = 0;
    noc_host_self = to;
    look_at(&other[to]);
    for (; !lane_peek(&other[to], LANE_SIGNALLED, 0, &m); lane_take(&other[to], LANE_SIGNALLED, 0))
        n += m.kind == MESSAGE_SIGNAL;
    for (unsigned k = 0; k < LANE_SIGNALS; k++)
        while (lane_take_signal(&other[to], k))
            n++;
    look();
    return n;
}

/* What a cluster sends to say that it signals a sync. */
static inline struct lane_message signal_of(unsigned type, u8 one, u32 nodes)
{
    const u8 *data = kept(BYTES((u8)type, one, 0, 0, (u8)nodes, (u8)(nodes >> 8), (u8)(nodes >> 16), nodes >> 24));
    return (struct lane_message){ .kind = MESSAGE_SIGNAL, .size = 8, .data = data };
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
