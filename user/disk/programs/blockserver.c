/* SPDX-License-Identifier: MIT */
/*
 * blockserver.c - drives a disk, and serves a range of its blocks to the process at the other end of each of its
 * tunnels: docs/devices.md.
 *   blockserver FIRST+BLOCKS[,read-only] ...
 * One argument for each tunnel, in blocks of 4 KiB.
 */
#include <amalgam/disk.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGES 8 /* of a disk */

static struct range {
    uint32_t first, blocks;
    bool read_only;
    int ended;
} ranges[RANGES];

static void *serve(void *index)
{
    unsigned n = (unsigned)(uintptr_t)index;
    struct range *r = &ranges[n];
    r->ended = amalgam_disk_serve_range(n, 0, r->first, r->blocks, r->read_only);
    return index;
}

static bool read_argument(const char *text, struct range *r)
{
    char *end;
    r->first = (uint32_t)strtoul(text, &end, 10);
    if (end == text || *end != '+')
        return false;
    r->blocks = (uint32_t)strtoul(end + 1, &end, 10);
    r->read_only = !strcmp(end, ",read-only");
    return r->read_only || !*end;
}

int main(int argc, char **argv)
{
    pthread_t thread[RANGES];
    unsigned n = 0;
    for (; n < RANGES && (int)n + 1 < argc; n++)
        if (!read_argument(argv[n + 1], &ranges[n]))
            break;
    if (!n || (int)n + 1 < argc) {
        printf("blockserver: blockserver FIRST+BLOCKS[,read-only] ..., at most %d\n", RANGES);
        return 2;
    }
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&thread[i], NULL, serve, (void *)(uintptr_t)i)) {
            printf("blockserver: no thread for tunnel %u: give it one for each, and one\n", i);
            return 1;
        }
    printf("blockserver: serves %u\n", n);
    for (unsigned i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
        printf("blockserver: tunnel %u ended with %d\n", i, -ranges[i].ended);
    }
    return 1;
}
