/* SPDX-License-Identifier: MIT */
/*
 * dyingcaps.c - pages of other clusters whose page servers die at any moment (docs/servers.md). The program's own page
 * server is at channel 0.
 *   dyingcaps owner PORT ROUNDS NODE...   in each round grants a page to holders in these clusters, which take copies,
 *                                         and takes it back: by a revocation, or with the page. Then they see it no
 *                                         more
 *   dyingcaps holder PORT OWNER           the owner's cluster
 * A life of a program ends by a fault where it uses what its page server's end has taken from it; what was counted
 * stays in the channel's memory. Owner and holders talk at mailboxes with PORT.
 */
#include <amalgam/pages.h>
#include <stdbool.h>
#include <string.h>

#define PROGRAM "dyingcaps"
#include "../../user/programs/must.h"
#include "../../bench/nanvix-servers/programs/remotecaps.h"

#define MOST       8 /* holders */
#define NS         1000000u
#define RESTART_NS 120000000u /* more than the 100 ms behind which a domain begins anew */

enum kind { TAKE, OVER, TAKEN, GONE, BEGUN };
struct news {
    struct caps cap;
    uint32_t kind, round, from;
    int32_t result; /* OVER: of the revocation; TAKEN: of the request; GONE: not 0: it is seen though that is 0 */
    uint32_t ms;    /* TAKEN: the request took them */
};
struct counts {
    uint32_t round, pages, revoked, silent, lost, seen, most_ms;
    uint32_t taken[MOST], begun[MOST], take_ms[MOST];
};

static volatile struct caps_channel *channel;
static volatile struct counts *counts; /* behind what is said to the page server */
static unsigned port;

static void nap(void) { amalgam_sleep_until(amalgam_clock() + NS); }

static bool is_lost(int64_t result) { return result == -AMALGAM_EPIPE || result == -AMALGAM_EAGAIN; }

/* Ask the page server. If that has ended this program begins anew with its next life. */
static int64_t ask(enum caps_call call)
{
    int64_t result = amalgam_caps_ask(0, channel, call);
    if (is_lost(result)) {
        counts->lost++;
        nap();
        amalgam_caps_begin(channel);
    }
    return result;
}

static void tell(unsigned node, struct news m)
{
    m.from = self;
    send(node, port, &m, sizeof(m));
}

static struct news hear(void)
{
    union {
        struct news news;
        unsigned char bytes[128];
    } m;
    RESULT(amalgam_mailbox_receive(in, &m, sizeof(m)));
    return m.news;
}

static uint32_t ms_since(uint64_t begin) { return (uint32_t)((amalgam_clock() - begin) / NS); }
static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The owner */

/* Wait until each holder has said it of this round, or begun anew. Returns whether each one's page server has done it.
 */
static bool hear_all(enum kind kind, const unsigned *nodes, unsigned n)
{
    bool all = true;
    for (uint32_t left = (1u << n) - 1; left;) {
        struct news m = hear();
        for (unsigned i = 0; i < n; i++)
            if (nodes[i] == m.from && (m.kind == BEGUN || (m.kind == kind && m.round == counts->round))) {
                left &= ~(1u << i);
                all &= m.kind == kind && m.result >= 0;
                counts->begun[i] += m.kind == BEGUN;
                counts->seen += m.kind == GONE && m.result;
                counts->taken[i] += m.kind == TAKEN && m.result >= 0;
                counts->take_ms[i] = larger(counts->take_ms[i], m.kind == TAKEN ? m.ms : 0);
            }
    }
    return all;
}

static bool grant(uint32_t page, const unsigned *nodes, unsigned n)
{
    struct news words[MOST] = { { .kind = TAKE } };
    for (unsigned i = 0; i < n; i++) {
        channel->request.id = page;
        channel->request.node = nodes[i];
        channel->request.cap.rights = CAPS_READ;
        int64_t result = ask(CAPS_GRANT);
        MUST(result == 0 || is_lost(result));
        if (result)
            return false;
        words[i] = (struct news){ .cap = channel->reply.cap, .kind = TAKE, .round = counts->round };
    }
    for (unsigned i = 0; i < n; i++)
        tell(nodes[i], words[i]);
    return true;
}

/* Returns the revocation's result. */
static int64_t take_back(uint32_t page, bool drops)
{
    uint64_t begin = amalgam_clock();
    channel->request.id = page;
    int64_t result = ask(drops ? CAPS_DROP : CAPS_REVOKE);
    counts->most_ms = larger(counts->most_ms, ms_since(begin));
    MUST(result >= 0 || is_lost(result));
    counts->revoked += !result;
    counts->silent += result > 0;
    return result;
}

static volatile unsigned char *map_page(unsigned *handle)
{
    int64_t at = amalgam_caps_map(0, handle);
    return at < 0 ? NULL : (volatile unsigned char *)(uintptr_t)at; /* its server has ended meanwhile */
}

/* Rounds with one page, until it is dropped or lost, or all are done. */
static void rounds_of_page(uint32_t rounds, const unsigned *nodes, unsigned n)
{
    int64_t page = ask(CAPS_CREATE);
    unsigned handle;
    volatile unsigned char *memory = page < 0 ? NULL : map_page(&handle);
    MUST(page >= 0 || is_lost(page));
    counts->pages += memory != NULL;
    bool has = memory;
    while (has && counts->round < rounds) {
        counts->round++;
        memset((void *)memory, (int)(counts->round & 255), CAPS_PAGE);
        has = grant((uint32_t)page, nodes, n);
        if (!has)
            break;
        bool all = hear_all(TAKEN, nodes, n);
        for (unsigned i = 0; i < CAPS_PAGE; i++)
            MUST(memory[i] == (counts->round & 255)); /* nobody has sent anything back */
        bool drops = counts->round % 2 == 0;
        int64_t result = take_back((uint32_t)page, drops);
        for (unsigned i = 0; i < n; i++)
            tell(nodes[i], (struct news){ .kind = OVER, .round = counts->round, .result = (int32_t)result });
        hear_all(GONE, nodes, n);
        if (!all) /* else all rounds are over before a page server has begun anew */
            amalgam_sleep_until(amalgam_clock() + RESTART_NS);
        has = !drops && result >= 0;
    }
    if (memory)
        RESULT(amalgam_handle_close(handle));
}

static void own(uint32_t rounds, const unsigned *nodes, unsigned n)
{
    while (counts->round < rounds)
        rounds_of_page(rounds, nodes, n);
    for (unsigned i = 0; i < n; i++)
        printf("dyingcaps: cluster %u: taken %u, begun %u, %u ms\n", nodes[i], counts->taken[i], counts->begun[i],
               counts->take_ms[i]);
    printf("dyingcaps: %u rounds, %u pages, %u revoked, %u silent, %u lost, %u seen, %u ms\n", counts->round,
           counts->pages, counts->revoked, counts->silent, counts->lost, counts->seen, counts->most_ms);
}

/* A holder */

static struct {
    uint32_t id, round;
    unsigned handle;
    const volatile unsigned char *at; /* NULL: there is none */
} copy;

static void put_away(void)
{
    if (!copy.at)
        return;
    copy.at = NULL;
    channel->request.id = copy.id;
    int64_t result = ask(CAPS_DROP);
    MUST(result == 0 || is_lost(result) || result == -AMALGAM_EBADF);
    RESULT(amalgam_handle_close(copy.handle));
}

static int64_t take(const struct news *m)
{
    channel->request.cap = m->cap;
    int64_t id = ask(CAPS_TAKE);
    const volatile unsigned char *at = id < 0 ? NULL : map_page(&copy.handle);
    for (unsigned i = 0; at && i < CAPS_PAGE; i++)
        MUST(at[i] == (m->round & 255));
    copy.at = at;
    copy.id = (uint32_t)id;
    copy.round = m->round;
    return id < 0 ? id : at ? 0 : -AMALGAM_EAGAIN;
}

static bool is_seen(void)
{
    return amalgam_pages_inspect((const void *)copy.at) != -AMALGAM_EFAULT ||
           amalgam_handle_map(copy.handle) != -AMALGAM_ESTALE;
}

static void hold(void)
{
    for (struct news m = hear();; m = hear()) {
        uint64_t begin = amalgam_clock();
        if (m.kind == TAKE) {
            put_away();
            m.kind = TAKEN;
            m.result = (int32_t)take(&m);
        } else {
            m.result = copy.at && copy.round == m.round && !m.result && is_seen();
            put_away();
            m.kind = GONE;
        }
        m.ms = ms_since(begin);
        tell(m.from, m);
    }
}

int main(int argc, char **argv)
{
    struct amalgam_tunnel t;
    unsigned nodes[MOST], n = 0;
    MUST(argc >= 4 && amalgam_tunnel_open(0, &t) == 0);
    channel = t.memory;
    counts = (volatile void *)((char *)t.memory + 1024);
    amalgam_caps_begin(channel);
    port = (unsigned)strtoul(argv[2], NULL, 10);
    self = (unsigned)RESULT(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE));
    in = (unsigned)RESULT(amalgam_mailbox_create(self, port));
    if (!strcmp(argv[1], "owner")) {
        for (int i = 4; i < argc && n < MOST; i++)
            nodes[n++] = (unsigned)strtoul(argv[i], NULL, 10);
        own((uint32_t)strtoul(argv[3], NULL, 10), nodes, n);
        return 0;
    }
    MUST(argc == 4);
    if (counts->round++) /* not its first life */
        tell((unsigned)strtoul(argv[3], NULL, 10), (struct news){ .kind = BEGUN });
    hold();
    return 0;
}
