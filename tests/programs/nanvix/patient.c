/* SPDX-License-Identifier: MIT */
/*
 * patient.c - a client of the name and the memory server (docs/servers.md) on a board whose clock may be a busy host's:
 * where an answer is late it asks again. What it gets has to be exact.
 *   patient N CLUSTERS  ask N times; the clusters from 1 to CLUSTERS run it, and find each other
 */
#include "served.h"

static unsigned late;

/* Wait before a call is made again. */
static void be_late(uint64_t until)
{
    MUST(now() < until);
    late++;
    rest(300 * MS); /* longer than a server rests that has not answered */
}

static void find_patiently(int clusters)
{
    int found;
    for (int node = 1; node <= clusters; node++)
        for (uint64_t until = now() + LATEST; (found = nanvix_name_lookup(name_of("by", node))) != node;
             be_late(until)) {
            MUST(found == -EAGAIN || found == -ENOENT); /* its lease may be over, as its owner was late */
            nanvix_name_heartbeat();
        }
}

static void use_pages_patiently(unsigned round)
{
    static rpage_t page;
    static unsigned data[WORDS];
    uint64_t until = now() + LATEST;
    for (; page == RMEM_NULL && (page = nanvix_rmem_alloc()) == RMEM_NULL; be_late(until))
        ;
    for (unsigned i = 0; i < WORDS; i++)
        data[i] = word_of(round, i);
    for (; nanvix_rmem_write(page, data) != RMEM_BLOCK_SIZE; be_late(until))
        MUST(errno == EIO);
    umemset(data, 0, sizeof(data));
    for (; nanvix_rmem_read(page, data) != RMEM_BLOCK_SIZE; be_late(until))
        MUST(errno == EIO);
    for (unsigned i = 0; i < WORDS; i++)
        MUST(data[i] == word_of(round, i));
}

static void serve_patiently(unsigned rounds, int clusters)
{
    link_own(name_of("by", me));
    for (unsigned round = 1; round <= rounds; round++) {
        nanvix_name_heartbeat();
        find_patiently(clusters);
        use_pages_patiently(round);
    }
    uprintf("patient: %d rounds right, %d calls again", (int)rounds, (int)late);
    for (;; rest(250 * MS)) /* who is slower finds it */
        nanvix_name_heartbeat();
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    me = knode_get_num();
    MUST(argc == 3);
    serve_patiently((unsigned)number_of(argv[1], 0), number_of(argv[2], 0));
}
