/* SPDX-License-Identifier: MIT */
/*
 * neighbours.c - a program that runs on several clusters of a many-core: `neighbours ROUNDS [CLUSTER...]`, without a
 * list on all of them.
 *
 * Each round begins with a barrier by syncs. Then the first cluster of the list sends a number to each of the others. A
 * cluster answers by mailbox with this number and its own, and sends a page by portal, whose bytes are derived from the
 * number. The first cluster checks the answers and the pages, and says where its time went; before that it creates and
 * joins as many threads as it can have.
 */
#include <amalgam/clusters.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST     32
#define PAGE     4096
#define ANY_PORT 16
#define THREADS  64

static int node, nodes, all[MOST]; /* this cluster; how many take part, and their numbers */
static unsigned char page[PAGE];

static int64_t must(int64_t result, const char *what)
{
    if (result < 0) {
        printf("node %d: %s: error %d\n", node, what, (int)-result);
        exit(1);
    }
    return result;
}

static unsigned char byte_of(uint32_t number, unsigned i) { return (unsigned char)(number * 31 + i * 7 + (i >> 8)); }

/* Read a message of cluster `from` only, because others may write to the port, too. */
static void read_from(int64_t id, int from, uint32_t *to, size_t size)
{
    must(amalgam_mailbox_set_remote((unsigned)id, (unsigned)from, ANY_PORT), "mailbox_set_remote");
    must(amalgam_mailbox_aread((unsigned)id, to, size), "mailbox_aread");
    must(amalgam_mailbox_wait((unsigned)id), "mailbox_wait");
}

/* What the leader's time is for; each part is counted from the end of the one before. */
enum part { FORK_JOIN, BARRIER, MESSAGES, PAGES, PARTS };
static uint64_t spent[PARTS], since;

static void note(enum part part)
{
    uint64_t now = (uint64_t)amalgam_clock();
    spent[part] += now - since;
    since = now;
}

static void *add(void *sum)
{
    for (uint32_t i = 1; i <= 100; i++)
        __atomic_fetch_add((uint32_t *)sum, i, __ATOMIC_RELAXED);
    return NULL;
}

/* Returns how many threads there were: as many as it may have, or as its memory has stacks for. */
static uint32_t fork_join(void)
{
    pthread_t thread[THREADS];
    uint32_t n = 0, most = (uint32_t)amalgam_info(AMALGAM_INFO_THREADS) - 1, sum = 0;
    while (n < most && !pthread_create(&thread[n], NULL, add, &sum))
        n++;
    for (uint32_t i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    if (sum != 5050 * n)
        must(-1, "fork-join");
    return n;
}

static void lead(int rounds)
{
    int64_t gather = must(amalgam_sync_create(all, (uint32_t)nodes, AMALGAM_SYNC_CREATE_ALL_TO_ONE), "sync_create");
    int64_t release = must(amalgam_sync_open(all, (uint32_t)nodes, AMALGAM_SYNC_OPEN_ONE_TO_ALL), "sync_open");
    int64_t in = must(amalgam_mailbox_create((unsigned)node, 0), "mailbox_create"),
            pages = must(amalgam_portal_create((unsigned)node, 0), "portal_create");
    int64_t out[MOST];
    since = (uint64_t)amalgam_clock();
    uint32_t threads = fork_join();
    note(FORK_JOIN);
    for (int n = 1; n < nodes; n++)
        out[n] = must(amalgam_mailbox_open((unsigned)all[n], 1), "mailbox_open");
    for (int round = 0; round < rounds; round++) {
        if (round && round % 100 == 0)
            printf("%d rounds\n", round);
        must(amalgam_sync_wait((unsigned)gather), "sync_wait");
        must(amalgam_sync_signal((unsigned)release), "sync_signal");
        note(BARRIER);
        for (int n = 1; n < nodes; n++) {
            uint32_t number = (uint32_t)(round * 100 + n);
            must(amalgam_mailbox_awrite((unsigned)out[n], &number, sizeof(number)), "mailbox_awrite");
            must(amalgam_mailbox_wait((unsigned)out[n]), "mailbox_wait");
        }
        for (int i = 1; i < nodes; i++) {
            uint32_t answer[2];
            note(i == 1 ? MESSAGES : PAGES);
            read_from(in, all[i], answer, sizeof(answer));
            if (answer[1] != (uint32_t)i || answer[0] != (uint32_t)round * 100 + answer[1])
                must(-1, "a wrong answer");
            note(MESSAGES);
            must(amalgam_portal_allow((unsigned)pages, (unsigned)all[answer[1]], 0), "portal_allow");
            must(amalgam_portal_aread((unsigned)pages, page, PAGE), "portal_aread");
            must(amalgam_portal_wait((unsigned)pages), "portal_wait");
            for (unsigned k = 0; k < PAGE; k++)
                if (page[k] != byte_of(answer[0], k))
                    must(-1, "a wrong page");
        }
        note(PAGES);
    }
    printf("%d clusters, %d rounds: every message and page was right\n", nodes, rounds);
    printf("where time went: %u us fork-join of %u threads, %u us barriers, %u us messages, %u us pages\n",
           (unsigned)(spent[FORK_JOIN] / 1000), (unsigned)threads, (unsigned)(spent[BARRIER] / 1000),
           (unsigned)(spent[MESSAGES] / 1000), (unsigned)(spent[PAGES] / 1000));
}

/* The part of every cluster but the first one; this is the one at `place` in the list. */
static void follow(int rounds, uint32_t place)
{
    int64_t gather = must(amalgam_sync_open(all, (uint32_t)nodes, AMALGAM_SYNC_OPEN_ALL_TO_ONE), "sync_open");
    int64_t release = must(amalgam_sync_create(all, (uint32_t)nodes, AMALGAM_SYNC_CREATE_ONE_TO_ALL), "sync_create");
    int64_t in = must(amalgam_mailbox_create((unsigned)node, 1), "mailbox_create"),
            out = must(amalgam_mailbox_open((unsigned)all[0], 0), "mailbox_open");
    int64_t pages = must(amalgam_portal_open((unsigned)node, (unsigned)all[0], 0), "portal_open");
    for (int round = 0; round < rounds; round++) {
        uint32_t answer[2];
        must(amalgam_sync_signal((unsigned)gather), "sync_signal");
        must(amalgam_sync_wait((unsigned)release), "sync_wait");
        read_from(in, all[0], answer, sizeof(answer[0]));
        answer[1] = place;
        must(amalgam_mailbox_awrite((unsigned)out, answer, sizeof(answer)), "mailbox_awrite");
        must(amalgam_mailbox_wait((unsigned)out), "mailbox_wait");
        for (unsigned k = 0; k < PAGE; k++)
            page[k] = byte_of(answer[0], k);
        must(amalgam_portal_awrite((unsigned)pages, page, PAGE), "portal_awrite");
        must(amalgam_portal_wait((unsigned)pages), "portal_wait");
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1, place = 0;
    node = (int)must(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE), "cluster_info");
    nodes = argc > 2 ? argc - 2 : (int)must(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES), "cluster_info");
    if (nodes < 2 || nodes > MOST) {
        printf("%d clusters: needs 2 to %d\n", nodes, MOST);
        return 1;
    }
    for (int n = 0; n < nodes; n++)
        all[n] = argc > 2 ? atoi(argv[n + 2]) : n;
    while (place < nodes && all[place] != node)
        place++;
    if (place == 0)
        lead(rounds);
    else if (place < nodes)
        follow(rounds, (uint32_t)place);
    return 0;
}
