/* SPDX-License-Identifier: MIT */
/*
 * ring.c - a program of libnanvix that runs in each cluster of a board, of whatever number: each has a mailbox by a
 * name, and a token goes round, to which each adds its number. All meet before names are looked up, and before one
 * ends. ring CLUSTERS
 */
#include <nanvix/runtime/runtime.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/signal.h>
#include <nanvix/sys/thread.h>
#include <stdlib.h>

#include "../../../user/programs/nanvix/check.h"

#define ROUNDS 8
#define PORT   13

static void meet(void)
{
    int error;
    while ((error = stdsync_fence()) == -EAGAIN)
        ;
    MUST(error == 0);
}

static void *beat(void *unused) /* a name ends when its owner does not keep it */
{
    for (;; ksigwait(SIGALRM)) {
        nanvix_name_heartbeat();
        kalarm(1);
    }
    return unused;
}

static void pass(int in, int out, int me, unsigned sum)
{
    struct {
        int round;
        unsigned sum;
    } token = { 0, 0 };
    for (int round = 0; round < ROUNDS; round++) {
        if (me) {
            MUST(nanvix_mailbox_read(in, &token, sizeof(token)) == 0 && token.round == round);
        } else {
            token.round = round;
        }
        token.sum += (unsigned)me + 1;
        MUST(nanvix_mailbox_write(out, &token, sizeof(token)) == 0);
        if (!me)
            MUST(nanvix_mailbox_read(in, &token, sizeof(token)) == 0 && token.round == round);
    }
    MUST(me || token.sum == sum * ROUNDS);
}

void ___start(int argc, const char *argv[], char **envp)
{
    char name[NANVIX_PROC_NAME_MAX], next[NANVIX_PROC_NAME_MAX];
    UNUSED(envp);
    knoc_init();
    int me = knode_get_num(), n = argc > 1 ? atoi(argv[1]) : 0;
    usprintf(name, "ring%d", me);
    usprintf(next, "ring%d", (me + 1) % n);
    int in;
    while ((in = nanvix_mailbox_create2(name, PORT)) == -EAGAIN) /* the name server may not be there yet */
        ;
    kthread_t keeper;
    MUST(in >= 0 && kthread_create(&keeper, beat, NULL) == 0);
    meet();
    int out;
    while ((out = nanvix_mailbox_open(next, PORT)) == -EAGAIN || out == -ENOENT)
        ;
    MUST(out >= 0);
    pass(in, out, me, (unsigned)(n * (n + 1) / 2));
    meet();
    MUST(nanvix_mailbox_close(out) == 0 && nanvix_mailbox_unlink(in) == 0);
    MUST(__runtime_cleanup() == 0);
    uprintf("ring: right, cluster %d of %d", me, n);
}
