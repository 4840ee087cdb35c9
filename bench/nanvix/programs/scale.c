/* SPDX-License-Identifier: MIT */
/*
 * scale.c - measures whether clusters get in each other's way. It runs on all clusters, which do the same at the same
 * time: `scale THREADS`. Each series lies between two marks, between which the emulator's plugin counts: BATCH remote
 * calls between 1 and 2, BATCH messages to the next cluster and as many from the one before between 3 and 4, THREADS
 * threads that return at once created and joined between 5 and 6. With THREADS 0 the last series is left out.
 */
#include <amalgam/clusters.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../user/programs/mark.h"

#define SAMPLES 31
#define BATCH   20
#define MESSAGE 128
#define MOST    32

static unsigned char message[MESSAGE];
static unsigned in, out;
static unsigned long threads;

static int64_t must(int64_t result)
{
    if (result < 0) {
        printf("scale: error %d\n", (int)-result);
        exit(1);
    }
    return result;
}

static void call(void) { must(amalgam_remote_null()); }

static void pass(void)
{
    must(amalgam_mailbox_write(out, message, MESSAGE));
    must(amalgam_mailbox_read(in, message, MESSAGE));
}

static void *leave(void *unused) { return unused; }

static void fork_join(void)
{
    pthread_t thread[MOST];
    for (unsigned long i = 0; i < threads; i++)
        must(-pthread_create(&thread[i], NULL, leave, NULL));
    for (unsigned long i = 0; i < threads; i++)
        must(-pthread_join(thread[i], NULL));
}

#define MEASURE(operation, batch, mark)                                                                                \
    for (int i = 0; i < SAMPLES; i++) {                                                                                \
        MARK(mark);                                                                                                    \
        for (int n = 0; n < (batch); n++)                                                                              \
            operation();                                                                                               \
        MARK((mark) + 1);                                                                                              \
    }

int main(int argc, char **argv)
{
    unsigned node = (unsigned)must(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE));
    unsigned nodes = (unsigned)must(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES));
    threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    must(threads > MOST ? -EINVAL : 0);
    in = (unsigned)must(amalgam_mailbox_create(node, 0));
    out = (unsigned)must(amalgam_mailbox_open((node + 1) % nodes, 0));
    pass(); /* all are there */
    MEASURE(call, BATCH, 1);
    MEASURE(pass, BATCH, 3);
    if (threads)
        MEASURE(fork_join, 1, 5);
    for (unsigned n = 0; n < nodes; n++)
        pass(); /* nobody ends before all have measured */
    puts("scale: done");
    return 0;
}
