/* SPDX-License-Identifier: MIT */
/*
 * remote.c - what the master and the way between clusters cost: runs on all clusters; cluster 0 measures and prints
 * lines `bench NAME LEAST MEDIAN SAMPLES` in nanoseconds, which are instructions of all harts on a board that counts
 * them.
 */
#include <amalgam/clusters.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 31
#define BATCH   100
#define MESSAGE 128
#define PAGE    4096
#define MOST    32

static unsigned char page[PAGE];
static uint64_t sample[SAMPLES];
static unsigned in, out, pages, gather, release;

static int64_t must(int64_t result)
{
    if (result < 0) {
        printf("remote: error %d\n", (int)-result);
        exit(1);
    }
    return result;
}

static void receive(void) { must(amalgam_mailbox_read(in, page, MESSAGE)); }

static void send(void) { must(amalgam_mailbox_write(out, page, MESSAGE)); }

static void call(void) { must(amalgam_remote_null()); }

static void ping(void)
{
    send();
    receive();
}

static void pong(void)
{
    receive();
    send();
}

static void read_page(void)
{
    must(amalgam_portal_allow(pages, 1, 0));
    must(amalgam_portal_aread(pages, page, PAGE));
    must(amalgam_portal_wait(pages));
}

static void write_page(void)
{
    must(amalgam_portal_awrite(pages, page, PAGE));
    must(amalgam_portal_wait(pages));
}

static void lead(void)
{
    must(amalgam_sync_wait(gather));
    must(amalgam_sync_signal(release));
}

static void follow(void)
{
    must(amalgam_sync_signal(gather));
    must(amalgam_sync_wait(release));
}

static int less(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A sample is the mean of BATCH; `parts` of them are one operation's. */
static void measure(const char *name, void (*operation)(void), unsigned parts)
{
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t begin = amalgam_clock();
        for (int n = 0; n < BATCH; n++)
            operation();
        sample[i] = (amalgam_clock() - begin) / BATCH / parts;
    }
    qsort(sample, SAMPLES, sizeof(sample[0]), less);
    printf("bench %s %lu %lu %d\n", name, (unsigned long)sample[0], (unsigned long)sample[SAMPLES / 2], SAMPLES);
}

static void repeat(void (*operation)(void))
{
    for (int i = 0; i < SAMPLES * BATCH; i++)
        operation();
}

int main(void)
{
    int all[MOST];
    unsigned node = (unsigned)must(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE));
    unsigned nodes = (unsigned)must(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES));
    for (unsigned n = 0; n < nodes && n < MOST; n++)
        all[n] = (int)n;
    in = (unsigned)must(amalgam_mailbox_create(node, 0));
    out = (unsigned)must(amalgam_mailbox_open(!node, 0));
    pages = (unsigned)must(node ? amalgam_portal_open(node, 0, 0) : amalgam_portal_create(0, 0));
    gather = (unsigned)must(node ? amalgam_sync_open(all, nodes, AMALGAM_SYNC_OPEN_ALL_TO_ONE)
                                 : amalgam_sync_create(all, nodes, AMALGAM_SYNC_CREATE_ALL_TO_ONE));
    release = (unsigned)must(node ? amalgam_sync_create(all, nodes, AMALGAM_SYNC_CREATE_ONE_TO_ALL)
                                  : amalgam_sync_open(all, nodes, AMALGAM_SYNC_OPEN_ONE_TO_ALL));
    if (node) {
        repeat(follow);
        if (node == 1) {
            repeat(pong);
            repeat(write_page);
        }
        return 0;
    }
    measure("sync", lead, 1);
    measure("mailbox", ping, 2);
    measure("portal-page", read_page, 1);
    measure("kcall-remote", call, 1);
    puts("remote: done");
    return 0;
}
