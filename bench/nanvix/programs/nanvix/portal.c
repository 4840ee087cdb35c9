/* SPDX-License-Identifier: MIT */
/*
 * portal.c - transfers of 1 MiB from cluster 1 to cluster 0: `portal COUNT`, on both. The benchmark runs it with two
 * counts and takes the difference of what each hart executed. The data are compared once, after the last transfer.
 */
#include <nanvix/sys/portal.h>

#include "../../../../user/programs/nanvix/measure.h"

static uint32_t data[KPORTAL_MAX_SIZE / sizeof(uint32_t)] __attribute__((aligned(4096)));

void ___start(int argc, const char *argv[], char **envp)
{
    int count = number_of(argc > 1 ? argv[1] : NULL, 1);
    UNUSED(envp);
    knoc_init();
    int node = knode_get_num(), id = node ? kportal_open(node, 0, 0) : kportal_create(node, 0);
    MUST(id >= 0);
    for (uint32_t i = 0; node && i < KPORTAL_MAX_SIZE / sizeof(data[0]); i++)
        data[i] = i * 2654435761u;
    for (int i = 0; i < count; i++) {
        if (!node)
            MUST(kportal_allow(id, 1, 0) == 0);
        MUST((node ? kportal_write(id, data, sizeof(data)) : kportal_read(id, data, sizeof(data))) ==
             (ssize_t)sizeof(data));
    }
    for (uint32_t i = 0; i < KPORTAL_MAX_SIZE / sizeof(data[0]); i++)
        MUST(data[i] == i * 2654435761u);
    uprintf("portal: done");
}
