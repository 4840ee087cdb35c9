/* SPDX-License-Identifier: MIT */
/*
 * blockserver.c - drives a disk, and serves a range of its blocks to the process at the other end of each of its
 * tunnels: docs/devices.md.
 *   blockserver FIRST+BLOCKS[,read-only] ...
 * One argument for each tunnel, in blocks of 4 KiB.
 */
#include <amalgam/disk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "blockserver"
#include "../../programs/tunnels.h"

#define RANGES 8 /* of a disk */

static struct range {
    uint32_t first, blocks;
    bool read_only;
} ranges[RANGES];

static int serve_tunnel(unsigned tunnel)
{
    const struct range *r = &ranges[tunnel];
    return amalgam_disk_serve_range(tunnel, 0, r->first, r->blocks, r->read_only);
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
    unsigned n = 0;
    for (; n < RANGES && (int)n + 1 < argc; n++)
        if (!read_argument(argv[n + 1], &ranges[n]))
            break;
    if (!n || (int)n + 1 < argc) {
        printf("blockserver: blockserver FIRST+BLOCKS[,read-only] ..., at most %d\n", RANGES);
        return 2;
    }
    serve_tunnels(0, n);
    return 1;
}
