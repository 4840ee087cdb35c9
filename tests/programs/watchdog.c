/* SPDX-License-Identifier: MIT */
/*
 * watchdog.c - a process that its watchdog ends. arguments: [watchdog, sleeps | spins | gone]: it kicks for longer than
 * its system file allows it not to, tells so, and kicks no more: it sleeps; it never makes a call again; or its first
 * thread has ended, and the one that kicked sleeps. Without `watchdog` in the system file it tells that it may not
 * kick.
 */
#include <amalgam/calls.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KICKS 5 /* every quarter of the time */

static void *kick(void *how)
{
    uint64_t step = (uint64_t)amalgam_info(AMALGAM_INFO_WATCHDOG) * 250000;
    uint64_t next = amalgam_clock();
    for (int i = 0; i < KICKS; i++) {
        amalgam_sleep_until(next += step);
        if (amalgam_watchdog_kick())
            exit(1);
    }
    printf("watchdog: %d kicks, then it %s\n", KICKS, (const char *)how);
    for (volatile int spins = !strcmp(how, "spins"); spins;)
        ;
    amalgam_sleep_until(AMALGAM_NEVER);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (!amalgam_info(AMALGAM_INFO_WATCHDOG)) {
        printf("watchdog: none, %s\n", amalgam_watchdog_kick() == -AMALGAM_ENOENT ? "right" : "WRONG");
        return 0;
    }
    if (argc < 2 || strcmp(argv[1], "gone") != 0)
        kick(argc < 2 ? "sleeps" : argv[1]);
    if (pthread_create(&thread, NULL, kick, argv[1]))
        return 1;
    pthread_exit(NULL);
}
