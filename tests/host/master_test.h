/* SPDX-License-Identifier: MIT */
/*
 * master_test.h - remote calls (kernel/cluster/request.c, master.c) on cores that take turns (turns.h): callers, one a
 * core, and two other clusters. A caller frees its request as soon as the call returns, so that an access of the
 * master after that is an error of its own (ASan).
 */
#ifndef AMALGAM_TESTS_MASTER_TEST_H
#define AMALGAM_TESTS_MASTER_TEST_H

#include "turns.h"

#include <cluster/peer.h>
#include <cluster/policy.h>

/* The master meets others after each word that it reads, too. */
#undef READ_ONCE
#define READ_ONCE(x)                                                                                                   \
    ({                                                                                                                 \
        __typeof__(x) read_ = *(const volatile __typeof__(x) *)&(x);                                                   \
        meet();                                                                                                        \
        read_;                                                                                                         \
    })
#include <cluster/master.c>

#define CALLERS CORES /* one on each core, also the master's */
#define MASTERS 0     /* the core on which a caller competes with the master */
#define QUIET   3000u /* turns in which a few calls come to their end */

/* A request as its caller allocates it. */
struct asked {
    struct request request;
    struct caller *caller;
};

static struct caller {
    struct thread *thread;
    struct asked *asked; /* NULL: in no call */
    s64 (*serve)(struct request *r);
    bool (*drop)(struct request *r, bool ends);
    u8 cancelled;
    unsigned calls, tries, drops; /* still to make; of its request */
    bool open;                    /* what its request waits for has come */
    bool arrived;
    ticks_t since, longest; /* of a call */
    s64 result;
} callers[CALLERS];

static char arrivals_seen[1024], served[1024]; /* callers, in order */
static unsigned polls, delivered;
static bool room; /* for messages of clusters */
static void (*on_delivery)(unsigned from);
static struct lane other[NOC_HOST]; /* of clusters 1 and 2, to this one */

static void note(char *log, const struct caller *c)
{
    size_t n = strlen(log);
    if (n + 1 >= sizeof(served))
        abort(); /* not an assertion, which would jump from a core's stack to the test's */
    log[n] = (char)('0' + (c - callers));
    log[n + 1] = '\0';
}

static struct caller *caller_of(const struct request *r) { return container_of(r, struct asked, request)->caller; }

/* The caches' policy, at each word by which caller and master meet. */

static void meet_at(const void *word)
{
    struct caller *c = this_cpu()->id < CALLERS ? &callers[this_cpu()->id] : NULL;
    if (c && c->asked && word == c->asked && !c->arrived && c->asked->request.earlier != &c->asked->request) {
        c->arrived = true; /* nobody else had a turn since its exchange */
        note(arrivals_seen, c);
    }
    meet();
}

void policy_leave(const struct request *r) { meet(); }
void policy_return(const struct request *r) { meet(); }
void policy_take(const struct request *r) { meet(); }
void policy_finish(const struct request *r) { meet(); }
void policy_look(const void *word) { meet_at(word); }
void policy_told(const void *word) { meet_at(word); }

/* Callers */

static void call(void *arg)
{
    struct caller *c = arg;
    for (; c->calls; c->calls--) {
        struct asked *a = aligned_alloc(NOC_LINE, sizeof(*a));
        memset(a, 0xee, sizeof(*a));
        a->caller = c;
        a->request.serve = c->serve;
        a->request.drop = c->drop;
        a->request.cancelled = c->cancelled;
        c->arrived = false;
        c->since = host_now;
        c->asked = a;
        irq_disable();
        c->result = request_run(&a->request);
        irq_enable();
        c->asked = NULL;
        free(a);
        c->longest = MAX(c->longest, host_now - c->since);
        meet();
    }
}

static void body(void *arg)
{
    call(arg);
    for (;;)
        thread_block(TICKS_NEVER);
}

static struct caller *start(unsigned core, s64 (*serve)(struct request *r), unsigned calls)
{
    struct caller *c = &callers[core];
    *c = (struct caller){ .serve = serve, .calls = calls, .result = -1 };
    c->thread = thread_create("caller", core, PRIO_NORMAL, body, c, NULL, false);
    thread_start(c->thread);
    return c;
}

/* Turns of some cores until something is so; it must be so within `most` rounds. */
#define TURNS_UNTIL(is_so, most, ...)                                                                                  \
    for (unsigned round_ = 0; !(is_so); round_++) {                                                                    \
        assert_true(round_ < (most));                                                                                  \
        const u8 cores_[] = { __VA_ARGS__ };                                                                           \
        for (unsigned i_ = 0; i_ < ARRAY_SIZE(cores_); i_++)                                                           \
            step(cores_[i_]);                                                                                          \
    }

/* Let a core make a call and take turns until the master has its request and was told so; nobody else gets one. */
static inline struct caller *arrive_at(unsigned core, s64 (*serve)(struct request *r))
{
    struct caller *c = start(core, serve, 1);
    TURNS_UNTIL(c->arrived, 50, core);
    step(core);
    return c;
}

static s64 at_once(struct request *r)
{
    note(served, caller_of(r));
    meet();
    return 7;
}

static inline s64 when_open(struct request *r)
{
    struct caller *c = caller_of(r);
    c->tries++;
    meet();
    if (!c->open)
        return REQUEST_PENDING;
    note(served, c);
    return 7;
}

static inline bool is_asleep(const struct caller *c) { return c->thread->state == THREAD_BLOCKED; }

static inline void open_for(struct caller *c)
{
    c->open = true;
    request_again();
}

static bool master_sleeps(void) { return master->state == THREAD_BLOCKED; }

/* Other clusters */

unsigned n_domains = 1;

static bool deliver(unsigned from, const struct lane_message *m)
{
    meet();
    delivered += room;
    if (room && on_delivery)
        on_delivery(from);
    return room;
}

static bool no_signals(bool found)
{
    polls++;
    meet();
    return false;
}

static struct peer_watch losses; /* of clusters */
static void lose(unsigned node) { peer_watch_mark(&losses, node); }
static const struct peer_part part = { .deliver = deliver, .lost = lose, .signals = no_signals };

static int poll_as(unsigned n)
{
    noc_host_self = n;
    lane_is_quiet(&other[n]);
    int err = lane_poll(&other[n]);
    noc_host_self = 0;
    return err;
}

/* As many messages as the lane takes, up to n; each rings. */
static inline void send_as(unsigned from, unsigned n)
{
    static const u64 data[LANE_DATA / 8];
    const struct lane_message m = { .kind = MESSAGE_MAIL, .size = 8, .data = (const u8 *)data };
    poll_as(from);
    noc_host_self = from;
    while (n-- && !lane_send(&other[from], &m))
        ;
    noc_host_self = 0;
}

static void others_start(void)
{
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned n = 1; n < NOC_HOST; n++) {
            if (!round) {
                noc_host_begin_life(n);
                lane_start(&other[n], 0);
            }
            poll_as(n);
        }
        settle_within(QUIET);
        host_now += 100000; /* rings are taken again */
        settle_within(QUIET);
    }
}

/* Some turns for each core, as many as a few calls take, then time passes. */
static inline void turns_then(ticks_t time)
{
    for (unsigned i = 0; i < 30 * CORES; i++)
        step(i % CORES);
    host_now += time;
}

static int setup(void **state)
{
    memset(noc_host_seen, 0, sizeof(noc_host_seen));
    memset(noc_host_memory, 0, sizeof(noc_host_memory));
    memset(callers, 0, sizeof(callers));
    noc_host_self = 0;
    turns_begin();
    arrivals = NULL;
    list_init(&pending);
    following = NULL;
    master = NULL;
    resting = vain = 0;
    rung = true;
    again = watch_due = watching = false;
    room = true;
    on_delivery = NULL;
    losses = (struct peer_watch){ 0 };
    peer_listen(MESSAGE_MAIL, &part);
    request_init();
    others_start();
    assert_true(master_sleeps());
    arrivals_seen[0] = served[0] = '\0';
    polls = delivered = 0;
    return 0;
}

#endif
