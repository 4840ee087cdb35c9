/* SPDX-License-Identifier: MIT */
/*
 * portals.c - long transfers between two clusters, both ways: `portals PEER ROUNDS [SIZE [PORT]]`, on both of them,
 * both at that port. Without SIZE it takes sizes and addresses at the edges of pages, up to a MiB. The receiver checks
 * each byte, and that nothing around the data has changed. Where a cluster's DMA engine may not be used its program
 * goes page by page; the other one does not notice.
 */
#include <amalgam/clusters.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE  4096u
#define MOST  (1u << 20)
#define GUARD 0xa5

static unsigned char area[MOST + 2 * PAGE] __attribute__((aligned(4096)));
static unsigned node, peer, in, out, by_engine;

static const struct {
    unsigned size, from, to; /* bytes; offsets of the addresses at the writer and the reader */
} cases[] = {
    { 1, 0, 0 },
    { PAGE, 0, 0 },
    { PAGE + 1, 0, 0 },
    { 2 * PAGE, PAGE - 8, 8 },
    { 2 * PAGE, 1, 2 },
    { 3 * PAGE + 5, 4095, 3 },
    { 16 * PAGE, 16, PAGE - 16 },
    { MOST, 0, 0 },
    { MOST, 8, 4088 },
    { MOST - 1, 3, 0 },
};

static int64_t must(int64_t result, const char *what)
{
    if (result < 0) {
        printf("node %u: %s: error %d\n", node, what, (int)-result);
        exit(1);
    }
    return result;
}

static unsigned char byte_of(unsigned seed, unsigned i) { return (unsigned char)(seed * 31 + i * 7 + (i >> 8)); }

static unsigned piece(unsigned left) { return left < PAGE ? left : PAGE; }

static void send(unsigned seed, unsigned size, unsigned at)
{
    for (unsigned i = 0; i < size; i++)
        area[at + i] = byte_of(seed, i);
    int64_t result = amalgam_portal_write(out, area + at, size);
    if (result != -AMALGAM_ENOSYS)
        by_engine += must(result, "portal_write") == 0;
    for (unsigned done = 0; result && done < size; done += piece(size - done)) {
        must(amalgam_portal_awrite(out, area + at + done, piece(size - done)), "portal_awrite");
        must(amalgam_portal_wait(out), "portal_wait");
    }
}

static void receive(unsigned seed, unsigned size, unsigned at)
{
    memset(area, GUARD, sizeof(area));
    must(amalgam_portal_allow(in, peer, 0), "portal_allow");
    int64_t result = amalgam_portal_read(in, area + at, size);
    if (result != -AMALGAM_ENOSYS)
        by_engine += must(result, "portal_read") == 0;
    for (unsigned done = 0; result && done < size; done += piece(size - done)) {
        if (done)
            must(amalgam_portal_allow(in, peer, 0), "portal_allow");
        must(amalgam_portal_aread(in, area + at + done, piece(size - done)), "portal_aread");
        must(amalgam_portal_wait(in), "portal_wait");
    }
    for (unsigned i = 0; i < sizeof(area); i++)
        if (area[i] != (i >= at && i < at + size ? byte_of(seed, i - at) : GUARD)) {
            printf("node %u: %u bytes to %u: byte %u is wrong\n", node, size, at, i - at);
            exit(1);
        }
}

/* One way, then the other: the cluster with the lower number writes first. */
static void exchange(unsigned seed, unsigned size, unsigned from, unsigned to)
{
    for (unsigned way = 0; way < 2; way++) {
        if (way == (node > peer))
            send(seed + way, size, from);
        else
            receive(seed + way, size, to);
    }
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1, size = argc > 3 ? (unsigned)atoi(argv[3]) : 0, seed = 1;
    unsigned port = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    peer = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    node = (unsigned)must(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE), "cluster_info");
    in = (unsigned)must(amalgam_portal_create(node, port), "portal_create");
    out = (unsigned)must(amalgam_portal_open(node, peer, port), "portal_open");
    for (unsigned round = 0; round < rounds; round++, seed += 2) {
        for (unsigned i = 0; !size && i < sizeof(cases) / sizeof(cases[0]); i++, seed += 2)
            exchange(seed, cases[i].size, cases[i].from, cases[i].to);
        if (size)
            exchange(seed, size, 0, 0);
    }
    printf("%u rounds with cluster %u: every byte was right, %u transfers by the engine\n", rounds, peer, by_engine);
    return 0;
}
