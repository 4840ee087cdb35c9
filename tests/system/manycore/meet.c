/* SPDX-License-Identifier: MIT */
/*
 * meet.c - two clusters: the second one waits for signals of the first, and closes the sync for which they are, at the
 * time at which they come. A message says when; then each makes some calls first, another number in each round.
 */
#include <amalgam/calls.h>
#include <amalgam/clusters.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRAM "meet"
#include "../../../user/programs/must.h"

#define ROUNDS 24
#define PORT   3

static int all[2] = { 0, 1 };

static void pass_time(unsigned calls)
{
    while (calls--)
        RESULT(amalgam_remote_null());
}

static void signal_all(void)
{
    uint32_t message;
    unsigned in = (unsigned)RESULT(amalgam_mailbox_create(0, PORT));
    unsigned sync = (unsigned)RESULT(amalgam_sync_open(all, 2, AMALGAM_SYNC_OPEN_ONE_TO_ALL));
    for (unsigned round = 0; round < 2 * ROUNDS; round++) {
        RESULT(amalgam_mailbox_read(in, &message, sizeof(message)));
        pass_time(round % 3);
        RESULT(amalgam_sync_signal(sync));
    }
    RESULT(amalgam_mailbox_read(in, &message, sizeof(message)));
    puts("meet: right");
}

static void wait_for_all(void)
{
    uint32_t message = 0;
    unsigned out = (unsigned)RESULT(amalgam_mailbox_open(0, PORT));
    unsigned sync = (unsigned)RESULT(amalgam_sync_create(all, 2, AMALGAM_SYNC_CREATE_ONE_TO_ALL));
    for (unsigned round = 0; round < 2 * ROUNDS; round++) {
        RESULT(amalgam_mailbox_write(out, &message, sizeof(message)));
        pass_time(round % 8);
        if (round < ROUNDS) {
            RESULT(amalgam_sync_wait(sync));
        } else {
            RESULT(amalgam_sync_close(sync, AMALGAM_SYNC_CLOSE_UNLINK));
            sync = (unsigned)RESULT(amalgam_sync_create(all, 2, AMALGAM_SYNC_CREATE_ONE_TO_ALL));
        }
    }
    RESULT(amalgam_mailbox_write(out, &message, sizeof(message)));
}

int main(void)
{
    (RESULT(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE)) ? wait_for_all : signal_all)();
    return 0;
}
