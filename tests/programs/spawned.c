/* SPDX-License-Identifier: MIT */
/*
 * spawned.c - what spawner.c starts (docs/shell.md).
 *   spawned exit N     ends with that status
 *   spawned say        says its arguments and its variable SAID
 *   spawned fault      ends by a fault
 *   spawned loop       never ends
 *   spawned busy       never ends, and asks for alarms: an emulator's harts take turns, which end at each timer
 *   spawned flood      prints without end
 *   spawned rest       never ends, and sleeps
 *   spawned dirty      takes all of its memory, which has to be zero, and fills it
 *   spawned mails      in a cluster: takes all mailboxes that it may have, and ends with their number, by a fault if
 *                      it is called `mails fault`
 *   spawned shown      maps the handle that it was given, whose memory has to begin with "given"
 */
#include <amalgam/clusters.h>
#include <amalgam/spawn.h>
#include <string.h>

#define PROGRAM "spawned"
#include "../../user/programs/must.h"

static volatile char *volatile nowhere;

#define PAGE 4096u

static void take_all(void)
{
    unsigned pages = 0;
    int64_t at;
    while ((at = amalgam_map(NULL, PAGE, AMALGAM_MAP_WRITE)) > 0) {
        unsigned char *page = (unsigned char *)(uintptr_t)at;
        for (unsigned i = 0; i < PAGE; i++)
            MUST(!page[i]);
        memset(page, 0xa5, PAGE);
        pages++;
    }
    MUST(pages > 8);
}

static int take_mailboxes(void)
{
    unsigned node = (unsigned)RESULT(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE));
    int n = 0;
    while (amalgam_mailbox_open(node, 0) >= 0)
        n++;
    for (unsigned port = 0; port < 16; port++)
        n += amalgam_mailbox_create(node, port) >= 0;
    return n;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "exit") && argc == 3)
        return atoi(argv[2]);
    if (!strcmp(what, "say")) {
        const char *said = getenv("SAID");
        for (int i = 2; i < argc; i++)
            printf("spawned: %s\n", argv[i]);
        printf("spawned: SAID is %s\n", said ? said : "not there");
        return 0;
    }
    if (!strcmp(what, "fault"))
        *nowhere = 0;
    while (!strcmp(what, "loop"))
        ;
    while (!strcmp(what, "busy"))
        amalgam_alarm(20000);
    while (!strcmp(what, "flood"))
        puts("spawned: flood");
    while (!strcmp(what, "rest"))
        amalgam_sleep_until(AMALGAM_NEVER);
    if (!strcmp(what, "dirty")) {
        take_all();
        return 0;
    }
    if (!strcmp(what, "mails")) {
        int n = take_mailboxes();
        if (argc > 2)
            *nowhere = 0;
        return n;
    }
    MUST(!strcmp(what, "shown"));
    const char *memory = (const char *)(uintptr_t)RESULT(amalgam_handle_map(0));
    MUST(!strcmp(memory, "given"));
    MUST(amalgam_handle_info(0, AMALGAM_HANDLE_INFO_RIGHTS) == AMALGAM_HANDLE_READ);
    return 0;
}
