/* SPDX-License-Identifier: MIT */
/*
 * pair.c - two threads on two cores of a cluster, which write and read in turn: messages and pages to their own
 * cluster, by the same descriptors and the same buffer; then pages each to itself. Then both call at the same time, so
 * that the master takes two requests at once, and one sleeps in a read until the other one's message wakes it. At the
 * end it waits for a message that never comes, and the end of the process cancels that.
 */
#include <amalgam/calls.h>
#include <amalgam/clusters.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "pair"
#include "../../../user/programs/must.h"

#define ROUNDS  6
#define CALLS   16
#define MESSAGE 128
#define PAGE    4096
#define PORT    8

static unsigned node, in, out, pages_in, pages_out, port;
static uint32_t step;
static unsigned char written[2][PAGE], read_by[2][PAGE];

static void write_both(unsigned self, unsigned round)
{
    memset(written[self], (int)round + 1, PAGE);
    RESULT(amalgam_mailbox_write(out, written[self], MESSAGE));
    RESULT(amalgam_portal_awrite(pages_out, written[self], PAGE));
    RESULT(amalgam_portal_wait(pages_out));
}

static void read_both(unsigned self, unsigned round)
{
    unsigned char *page = read_by[self];
    RESULT(amalgam_mailbox_read(in, page, MESSAGE));
    unsigned right = page[0] == round + 1 && page[MESSAGE - 1] == round + 1;
    RESULT(amalgam_portal_allow(pages_in, node, port));
    RESULT(amalgam_portal_aread(pages_in, page, PAGE));
    RESULT(amalgam_portal_wait(pages_in));
    if (!right || page[0] != round + 1 || page[PAGE - 1] != round + 1) {
        puts("pair: wrong");
        exit(1);
    }
}

/* A page to itself. */
static void write_and_read(unsigned self)
{
    RESULT(amalgam_portal_awrite(pages_out, written[self], PAGE));
    RESULT(amalgam_portal_wait(pages_out));
    RESULT(amalgam_portal_allow(pages_in, node, port));
    RESULT(amalgam_portal_aread(pages_in, read_by[self], PAGE));
    RESULT(amalgam_portal_wait(pages_in));
}

static void wait_for_step(uint32_t wanted)
{
    for (uint32_t now; (now = __atomic_load_n(&step, __ATOMIC_ACQUIRE)) != wanted;)
        amalgam_wait(&step, now, AMALGAM_NEVER);
}

static void next_step(void)
{
    __atomic_add_fetch(&step, 1, __ATOMIC_RELEASE);
    amalgam_wake(&step, 2);
}

/* Both at once. */
static void call_together(unsigned self)
{
    wait_for_step(4 + self);
    next_step();
    wait_for_step(6);
    for (unsigned i = 0; i < CALLS; i++)
        RESULT(amalgam_remote_null());
    if (self)
        return;
    for (unsigned i = 0; i < 2; i++) {
        amalgam_sleep_until((uint64_t)amalgam_clock() + 1000000);
        RESULT(amalgam_mailbox_write(out, written[self], MESSAGE));
    }
}

static void *take_turns(void *arg)
{
    unsigned self = arg != NULL;
    for (unsigned round = 0; round < ROUNDS; round++) {
        RESULT(amalgam_remote_null());
        (round % 2 == self ? write_both : read_both)(self, round);
    }
    for (uint32_t n = 0; n < 2; n++) {
        wait_for_step(2 * n + self);
        write_and_read(self);
        next_step();
    }
    call_together(self);
    for (unsigned i = 0; self && i < 3; i++)
        RESULT(amalgam_mailbox_read(in, read_by[self], MESSAGE));
    return NULL;
}

int main(void)
{
    pthread_t other;
    node = (unsigned)RESULT(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE));
    in = (unsigned)RESULT(amalgam_mailbox_create(node, PORT));
    out = (unsigned)RESULT(amalgam_mailbox_open(node, PORT));
    pages_in = (unsigned)RESULT(amalgam_portal_create(node, PORT));
    pages_out = (unsigned)RESULT(amalgam_portal_open(node, node, PORT));
    port = (unsigned)RESULT(amalgam_portal_get_port(pages_out));
    if (pthread_create(&other, NULL, take_turns, &other))
        abort();
    take_turns(NULL);
    amalgam_sleep_until((uint64_t)amalgam_clock() + 1000000);
    puts("pair: right");
    return 0;
}
