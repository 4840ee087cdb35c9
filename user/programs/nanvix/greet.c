/* SPDX-License-Identifier: MIT */
/* greet.c - says which of how many it is, by each of the ways in which a program of libnanvix prints: for a shell that
 * starts it on clusters (docs/servers.md). */
#include <nanvix/sys/noc.h>
#include <nanvix/ulib.h>
#include <stdio.h>
#include <stdlib.h>

void ___start(int argc, const char *argv[], char **envp)
{
    const char *rank = getenv("RANK"), *clusters = getenv("CLUSTERS");
    (void)argc;
    (void)argv;
    (void)envp;
    knoc_init();
    printf("printf: %s ", rank ? rank : "nobody");
    uprintf("of %s", clusters ? clusters : "none");
    kprintf("kprintf: cluster %d", knode_get_num());
}
