/* SPDX-License-Identifier: MIT */
/*
 * fileserver.c - serves the process's files, with what the system file puts there, to whoever is at the other ends of
 * its tunnels: docs/files.md.
 *   fileserver [quota=BYTES] [read-only]
 * quota: what the files of each client may take, with K or M behind it; without it as much as there is.
 */
#include <amalgam/file_server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "fileserver"
#include "tunnels.h"

static uint64_t quota = UINT64_MAX;
static bool read_only;

static int serve_tunnel(unsigned tunnel) { return amalgam_files_serve(tunnel, quota, read_only); }

static bool read_argument(const char *text)
{
    char *end;
    if (!strcmp(text, "read-only"))
        return read_only = true;
    if (strncmp(text, "quota=", 6))
        return false;
    quota = strtoull(text + 6, &end, 10);
    if (*end == 'K' || *end == 'M')
        quota <<= *end++ == 'K' ? 10 : 20;
    return end > text + 6 && !*end;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!read_argument(argv[i])) {
            printf("fileserver: '%s' is no argument; there are quota=BYTES and read-only\n", argv[i]);
            return 2;
        }
    unsigned n = tunnels_end(0);
    return serve_tunnels(0, n) && n ? 0 : 1;
}
