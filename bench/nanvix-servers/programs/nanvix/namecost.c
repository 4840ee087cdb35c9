/* SPDX-License-Identifier: MIT */
/*
 * namecost.c - measures nanvix_name_lookup() between marks, between which the emulator's plugin counts: BATCH lookups
 * that ask the servers lie between 1 and 2, BATCH that are answered by the library between 3 and 4. The two names have
 * one place in the library's memory, so they put each other out of it.
 */
#include <nanvix/runtime/pm/name.h>
#include <nanvix/sys/noc.h>

#include "../../../../user/programs/mark.h"
#include "../../../../user/programs/nanvix/check.h"

#define SAMPLES 31
#define BATCH   20

static const char *const names[] = { "a", "i" };
static int node; /* known before: to ask for it costs as much as a name that is remembered */

static void link(const char *name)
{
    int error;
    while ((error = nanvix_name_link(node, name)) == -EAGAIN)
        kthread_yield();
    MUST(error == 0);
}

static void look_up(int turns)
{
    for (int i = 0; i < BATCH; i++)
        MUST(nanvix_name_lookup(names[turns ? i % 2 : 0]) == node);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(argc);
    UNUSED(argv);
    UNUSED(envp);
    knoc_init();
    node = knode_get_num();
    link(names[0]);
    link(names[1]);
    for (int i = 0; i < SAMPLES; i++) {
        MARK(1);
        look_up(1);
        MARK(2);
    }
    for (int i = 0; i < SAMPLES; i++) {
        look_up(0);
        MARK(3);
        look_up(0);
        MARK(4);
    }
    uprintf("namecost: done");
}
