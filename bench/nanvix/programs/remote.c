/* SPDX-License-Identifier: MIT */
/*
 * remote.c - measures remote calls to the master, and messages between clusters. It runs on all clusters. On cluster 0
 * each series of BATCH operations lies between two marks, between which the emulator's plugin counts: `sync` between 1
 * and 2, `mailbox` (there and back) 3 and 4, `portal` 5 and 6, `call` 7 and 8, and `work`, a call after the program has
 * changed each line of a page, 9 and 10. `remote sync` measures that one only.
 */
#include <amalgam/clusters.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../user/programs/mark.h"

#define SAMPLES 31
#define BATCH   20
#define MESSAGE 128
#define PAGE    4096
#define LINE    64
#define MOST    32

static unsigned char page[PAGE];
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

static void work(void)
{
    for (unsigned i = 0; i < PAGE; i += LINE)
        page[i]++;
    call();
}

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

#define MEASURE(operation, mark)                                                                                       \
    for (int i = 0; i < SAMPLES; i++) {                                                                                \
        MARK(mark);                                                                                                    \
        for (int n = 0; n < BATCH; n++)                                                                                \
            operation();                                                                                               \
        MARK((mark) + 1);                                                                                              \
    }

static void repeat(void (*operation)(void))
{
    for (int i = 0; i < SAMPLES * BATCH; i++)
        operation();
}

int main(int argc, char **argv)
{
    int all[MOST], more = argc < 2 || strcmp(argv[1], "sync");
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
        if (node == 1 && more) {
            repeat(pong);
            repeat(write_page);
        }
        return 0;
    }
    MEASURE(lead, 1);
    if (more) {
        MEASURE(ping, 3);
        MEASURE(read_page, 5);
        MEASURE(call, 7);
        MEASURE(work, 9);
    }
    puts("remote: done");
    return 0;
}
