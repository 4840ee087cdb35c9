/* SPDX-License-Identifier: MIT */
/*
 * deaths.c - a process in a ring of processes of several clusters, in which numbered mails, pages and signals go round
 * for ever while processes and clusters die and begin again; and barriers of some of them.
 * arguments: [deaths, HALF, OWN, NEXT, BEFORE, CLUSTER...]: half a round in ms of the board's clock; three members,
 * each as CLUSTER-PROCESS, 0 or 1 a process; the clusters of a barrier, if this one has a part in it.
 *
 * A mail, a page and a signal are each followed by the next one when the next member has answered by mail that it has
 * taken it, or after a while. A call that fails counts what was not answered as dropped: its reader may miss that, and
 * nothing else. So a reader can tell what must not be: a number twice, one of a life that is over when a later one was
 * heard of, data of two lives, a number missing that its writer has not counted, a wait that no signal has ended. A
 * line with WRONG says so; others say how far each exchange is (tests/system/manycore/test_deaths_manycore.py).
 *
 * Or [deaths, conduct, HALF, ROUNDS]: in each round tell three members to end: by a fault, by doing nothing any more,
 * by exit. ROUNDS has a letter for each: `a` + 2 * CLUSTER + PROCESS. After the last round the board goes off. With a
 * HALF of 0 only the round of this life of the cluster is told, and a line says that it was.
 */
#include <amalgam/clusters.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../guests/include/numbers.h"

#define PROGRAM "deaths"
#include "../../../user/programs/must.h"

#define MS      1000000ull
#define STEP    (40 * MS)
#define LATE    (200 * MS)
#define SAY     (200 * MS)
#define JITTER  (20 * MS) /* orders come so long before or after a board's resets */
#define PAGE    4096u
#define FILLED  (PAGE / 4 - 8)
#define PORT    4  /* from which process 0 sends pages; process 1: the next one */
#define SURPLUS 16 /* signals of former lives that may have been kept for a waiter */

enum exchange { MAIL, PAGES, SIGNAL, BARRIER, EXCHANGES };
enum kind { NUMBER, ANSWER, ORDER };

struct member {
    unsigned cluster, process;
};

/* Of an exchange, the end that sends. */
struct out {
    uint32_t number, answered, counted, dropped; /* counted: up to which number `dropped` has what was not answered */
};

/* The end that takes: the last life and number, and what their writer had dropped. */
struct in {
    uint64_t life;
    uint32_t number, dropped, taken, missing;
};

struct head {
    uint64_t life;
    uint32_t number, dropped;
};

struct mail {
    uint32_t kind, what;
    struct head head;
    uint64_t life;             /* of who answers */
    struct head taken[SIGNAL]; /* what it has taken last */
    uint32_t waits, data[8];
};

struct page {
    struct head head;
    uint32_t data[FILLED];
};

static struct member own, next, before;
static uint64_t life;
static struct out out[EXCHANGES];
static struct in in[EXCHANGES];
static unsigned to_next, to_before, mails, pages_out, pages_in;
static uint64_t half; /* of a round, in ns */
static bool hung;
static uint64_t
    waiter; /* the life of who waits for our signals; its waits, and our signals when it was first heard of */
static uint32_t waits_then, signals_then;

static struct member member_of(const char *text)
{
    return (struct member){ (unsigned)atoi(text), (unsigned)atoi(strchr(text, '-') + 1) };
}

static uint32_t word_of(const struct head *h, uint32_t i)
{
    return numbers_word((uint32_t)(h->life ^ h->life >> 32), h->number, i);
}

static void sleep_for(uint64_t ns)
{
    amalgam_sleep_until(amalgam_clock() + ns);
    while (__atomic_load_n(&hung, __ATOMIC_RELAXED))
        amalgam_sleep_until(AMALGAM_NEVER);
}

static void wrong(const char *what, enum exchange e, const struct head *h)
{
    printf("deaths: WRONG: exchange %u: %s: number %u of life %llu, dropped %u; last %u of life %llu, dropped %u\n", e,
           what, (unsigned)h->number, (unsigned long long)h->life, (unsigned)h->dropped, (unsigned)in[e].number,
           (unsigned long long)in[e].life, (unsigned)in[e].dropped);
    exit(1);
}

/* Look whether what has come may be, and note it. */
static void take(enum exchange e, const struct head *h)
{
    struct in *i = &in[e];
    if (h->life < i->life)
        wrong("of a life that was over", e, h);
    if (h->life == i->life) {
        if (h->number <= i->number)
            wrong("a number twice", e, h);
        uint32_t missing = h->number - 1 - i->number;
        if (missing > h->dropped - i->dropped)
            wrong("what is missing was not counted", e, h);
        i->missing += missing;
    }
    i->life = h->life;
    i->number = h->number;
    i->dropped = h->dropped;
    i->taken++;
}

static void fill(struct head *h, enum exchange e, uint32_t *data, uint32_t n)
{
    *h = (struct head){ life, out[e].number + 1, out[e].dropped };
    for (uint32_t i = 0; i < n; i++)
        data[i] = word_of(h, i);
}

static void check(const struct head *h, enum exchange e, const uint32_t *data, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (data[i] != word_of(h, i))
            wrong("not whole", e, h);
    take(e, h);
}

/* Note how the number that follows was sent, and wait until it is answered, or not longer than that takes. */
static void sent(enum exchange e, int64_t result)
{
    struct out *o = &out[e];
    uint32_t number = o->number + 1, answered = __atomic_load_n(&o->answered, __ATOMIC_ACQUIRE);
    if (result) {
        MUST(result == -AMALGAM_EIO || result == -AMALGAM_ETIMEDOUT);
        o->dropped += number - (answered > o->counted ? answered : o->counted);
        o->counted = number;
    }
    __atomic_store_n(&o->number, number, __ATOMIC_RELEASE);
    uint64_t end = (uint64_t)amalgam_clock() + LATE;
    while (!result && (answered = __atomic_load_n(&o->answered, __ATOMIC_ACQUIRE)) < number &&
           (uint64_t)amalgam_clock() < end)
        amalgam_wait(&o->answered, answered, end);
    sleep_for(STEP);
}

static void *send_mails(void *arg)
{
    for (;;) {
        struct mail m = { .kind = NUMBER };
        fill(&m.head, MAIL, m.data, 8);
        sent(MAIL, amalgam_mailbox_write(to_next, &m, sizeof m));
    }
    return arg;
}

static void *send_pages(void *arg)
{
    static struct page page;
    for (;;) {
        fill(&page.head, PAGES, page.data, FILLED);
        int64_t error = amalgam_portal_awrite(pages_out, &page, sizeof page);
        sent(PAGES, error ? error : amalgam_portal_wait(pages_out));
    }
    return arg;
}

static void *send_signals(void *arg)
{
    int nodes[] = { (int)own.cluster, (int)next.cluster };
    unsigned sync = (unsigned)RESULT(amalgam_sync_open(nodes, 2, AMALGAM_SYNC_OPEN_ONE_TO_ALL));
    for (;;) {
        __atomic_store_n(&out[SIGNAL].counted, out[SIGNAL].number + 1,
                         __ATOMIC_RELEASE); /* may have come from here on */
        sent(SIGNAL, amalgam_sync_signal(sync));
    }
    return arg;
}

static void *read_pages(void *arg)
{
    static struct page page;
    for (;; sleep_for(0)) {
        int64_t error = amalgam_portal_allow(pages_in, before.cluster, PORT + before.process);
        if (!error)
            error = amalgam_portal_aread(pages_in, &page, sizeof page);
        if (!error)
            error = amalgam_portal_wait(pages_in);
        MUST(!error || error == -AMALGAM_EIO || error == -AMALGAM_EBUSY);
        if (!error)
            check(&page.head, PAGES, page.data, FILLED);
    }
    return arg;
}

static void *wait_for_signals(void *arg)
{
    int nodes[] = { (int)before.cluster, (int)own.cluster };
    unsigned sync = (unsigned)RESULT(amalgam_sync_create(nodes, 2, AMALGAM_SYNC_CREATE_ONE_TO_ALL));
    for (;; sleep_for(0)) {
        int64_t error = amalgam_sync_wait(sync);
        MUST(!error || error == -AMALGAM_EIO);
        __atomic_fetch_add(&in[SIGNAL].taken, !error, __ATOMIC_RELAXED);
    }
    return arg;
}

/* Of the clusters of a barrier the first one waits for all, then releases each by a sync of its own (in which all of
 * two signal one, as signals of the ring have the other kind): one that was lost may have come again, and is not told
 * by the signal that says so, so it gets one more. A signal for all would tell the
 * others twice. After an error a member begins anew. */
static void lead(const int *nodes, unsigned n)
{
    unsigned gather = (unsigned)RESULT(amalgam_sync_create(nodes, n, AMALGAM_SYNC_CREATE_ALL_TO_ONE)), release[32];
    for (unsigned i = 1; i < n; i++)
        release[i] =
            (unsigned)RESULT(amalgam_sync_open((const int[]){ nodes[i], nodes[0] }, 2, AMALGAM_SYNC_OPEN_ALL_TO_ONE));
    for (;; sleep_for(STEP)) {
        int64_t error = amalgam_sync_wait(gather);
        MUST(!error || error == -AMALGAM_EIO);
        in[BARRIER].taken += !error;
        for (unsigned i = 1; i < n && !error; i++) {
            int64_t told;
            while ((told = amalgam_sync_signal(release[i])) == -AMALGAM_EIO)
                ;
            MUST(!told || told == -AMALGAM_ETIMEDOUT);
        }
    }
}

static void follow(const int *nodes, unsigned n)
{
    const int pair[] = { (int)own.cluster, nodes[0] };
    unsigned gather = (unsigned)RESULT(amalgam_sync_open(nodes, n, AMALGAM_SYNC_OPEN_ALL_TO_ONE));
    unsigned release = (unsigned)RESULT(amalgam_sync_create(pair, 2, AMALGAM_SYNC_CREATE_ALL_TO_ONE));
    for (;; sleep_for(STEP)) {
        int64_t error = amalgam_sync_signal(gather);
        if (!error)
            error = amalgam_sync_wait(release);
        MUST(!error || error == -AMALGAM_EIO || error == -AMALGAM_ETIMEDOUT);
        in[BARRIER].taken += !error;
    }
}

static void *meet(void *arg)
{
    const int *nodes = (const int *)arg;
    unsigned n = 0;
    while (nodes[n])
        n++;
    (nodes[0] == (int)own.cluster ? lead : follow)(nodes, n);
    return NULL;
}

static void obey(uint32_t letter)
{
    static volatile int *volatile nowhere;
    if (letter == 'k')
        *nowhere = 1;
    if (letter == 'e')
        exit(0);
    __atomic_store_n(&hung, true, __ATOMIC_RELAXED);
}

static void answered(enum exchange e, uint32_t number)
{
    if (number <= out[e].answered)
        return;
    __atomic_store_n(&out[e].answered, number, __ATOMIC_RELEASE);
    amalgam_wake(&out[e].answered, 1);
}

/* The waiter's waits: each was ended by one signal, and the last signal is answered by a wait more. */
static void answered_signals(const struct mail *m)
{
    uint32_t signals = __atomic_load_n(&out[SIGNAL].counted, __ATOMIC_ACQUIRE);
    if (m->life != waiter) {
        waiter = m->life;
        waits_then = m->waits;
        signals_then = signals;
    }
    uint32_t ended = m->waits - waits_then;
    if (ended > signals - signals_then + SURPLUS)
        wrong("more waits than signals", SIGNAL, &(struct head){ waiter, ended, signals - signals_then });
    if (ended)
        answered(SIGNAL, signals_then + ended < signals ? signals_then + ended : signals);
}

static void answer(void)
{
    struct mail m = { .kind = ANSWER, .life = life, .waits = __atomic_load_n(&in[SIGNAL].taken, __ATOMIC_RELAXED) };
    for (unsigned e = MAIL; e < SIGNAL; e++)
        m.taken[e] = (struct head){ in[e].life, in[e].number, 0 };
    int64_t error = amalgam_mailbox_write(to_before, &m, sizeof m);
    MUST(!error || error == -AMALGAM_EIO || error == -AMALGAM_ETIMEDOUT);
}

static void *read_mails(void *arg)
{
    for (;; sleep_for(0)) {
        struct mail m;
        RESULT(amalgam_mailbox_read(mails, &m, sizeof m));
        switch (m.kind) {
        case NUMBER:
            check(&m.head, MAIL, m.data, 8);
            answer();
            break;
        case ANSWER:
            for (unsigned e = MAIL; e < SIGNAL; e++)
                if (m.taken[e].life == life)
                    answered(e, m.taken[e].number);
            answered_signals(&m);
            break;
        default: obey(m.what);
        }
    }
    return arg;
}

static void say(void)
{
    unsigned phase = half ? (unsigned)((uint64_t)amalgam_clock() / half) : 0;
    for (unsigned e = 0; e < EXCHANGES; e++)
        printf("deaths: phase %u member %u-%u exchange %u: life %llu taken %u missing %u sent %u dropped %u\n", phase,
               own.cluster, own.process, e, (unsigned long long)life, (unsigned)in[e].taken, (unsigned)in[e].missing,
               (unsigned)out[e].number, (unsigned)out[e].dropped);
}

static void begin(void *(*body)(void *), void *arg)
{
    pthread_t thread;
    MUST(!pthread_create(&thread, NULL, body, arg));
}

/* A portal that sends from our port of this cluster. Each one that is opened has the first port that is free; those of
 * the cluster's other process may be in the way while it looks for its own, too. */
static unsigned open_pages(void)
{
    unsigned made[PORT + 2], right = PORT + own.process;
    for (bool found = false;; sleep_for((1 + own.process) * MS)) {
        unsigned n = 0;
        do {
            made[n] = (unsigned)RESULT(amalgam_portal_open(own.cluster, next.cluster, next.process));
            found = (unsigned)RESULT(amalgam_portal_get_port(made[n++])) == right;
        } while (!found && n < PORT + 2);
        for (unsigned i = 0; i < n - found; i++)
            RESULT(amalgam_portal_close(made[i], AMALGAM_PORTAL_CLOSE_CLOSE));
        if (found)
            return made[n - 1];
    }
}

/* Who is lost is not there to be told. */
static void order(struct member to, char letter)
{
    struct mail m = { .kind = ORDER, .what = (uint32_t)letter };
    unsigned id = (unsigned)RESULT(amalgam_mailbox_open(to.cluster, to.process));
    int64_t error = amalgam_mailbox_write(id, &m, sizeof m);
    MUST(!error || error == -AMALGAM_EIO || error == -AMALGAM_ETIMEDOUT);
    RESULT(amalgam_mailbox_close(id, AMALGAM_MAILBOX_CLOSE_CLOSE));
}

static void tell(const char *round)
{
    for (const char *how = "khe"; *how; how++, round++) {
        unsigned index = (unsigned)(*round - 'a');
        order((struct member){ index / 2, index % 2 }, *how);
    }
}

static int conduct(const char *rounds)
{
    unsigned n = (unsigned)strlen(rounds) / 3;
    if (!half) {
        unsigned lived = (unsigned)amalgam_cluster_info(AMALGAM_CLUSTER_INFO_LIFE) - 1;
        if (lived) { /* the first one is before all rounds */
            tell(rounds + (lived - 1) % n * 3);
            printf("deaths: told in life %u\n", lived);
        }
        amalgam_sleep_until(AMALGAM_NEVER);
    }
    for (unsigned i = 0; i < n; i++) {
        uint64_t early = numbers_word(n, i, 0) % (2 * JITTER);
        amalgam_sleep_until(2 * (i + 1) * half + JITTER - early);
        printf("deaths: round %u: %.3s\n", i, rounds + 3 * i);
        tell(rounds + 3 * i);
    }
    amalgam_sleep_until(2 * (n + 1) * half);
    return 0;
}

int main(int argc, char **argv)
{
    static int nodes[32];
    _Static_assert(sizeof(struct mail) <= 128 && sizeof(struct page) <= PAGE, "what one message has room for");
    MUST(argc >= 4 && argc < 32);
    bool conducts = !strcmp(argv[1], "conduct");
    half = (uint64_t)atoi(argv[1 + conducts]) * MS;
    if (conducts)
        return conduct(argv[3]);
    MUST(argc >= 5);
    own = member_of(argv[2]), next = member_of(argv[3]), before = member_of(argv[4]);
    life = (uint64_t)amalgam_cluster_info(AMALGAM_CLUSTER_INFO_LIFE) * 1000000000 + (uint64_t)amalgam_clock() / 10000;
    mails = (unsigned)RESULT(amalgam_mailbox_create(own.cluster, own.process));
    pages_in = (unsigned)RESULT(amalgam_portal_create(own.cluster, own.process));
    pages_out = open_pages();
    to_next = (unsigned)RESULT(amalgam_mailbox_open(next.cluster, next.process));
    to_before = (unsigned)RESULT(amalgam_mailbox_open(before.cluster, before.process));
    begin(read_mails, NULL), begin(read_pages, NULL), begin(send_mails, NULL), begin(send_pages, NULL);
    if (next.cluster != own.cluster)
        begin(send_signals, NULL);
    if (before.cluster != own.cluster)
        begin(wait_for_signals, NULL);
    for (int i = 5; i < argc; i++)
        nodes[i - 5] = atoi(argv[i]);
    if (nodes[0])
        begin(meet, nodes);
    for (;; sleep_for(SAY))
        say();
}
