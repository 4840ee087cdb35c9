/* SPDX-License-Identifier: MIT */
/*
 * fileserver.c - serves the process's files, with what the system file puts there, to whoever is at the other ends of
 * its tunnels: docs/files.md.
 *   fileserver [quota=BYTES] [read-only]
 * quota: what the files of each client may take, with K or M behind it; without it as much as there is.
 */
#include <amalgam/file_server.h>
#include <amalgam/tunnel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TUNNELS 16

static uint64_t quota = UINT64_MAX;
static bool read_only;
static int ended[TUNNELS];

static void *serve(void *index)
{
    unsigned n = (unsigned)(uintptr_t)index;
    ended[n] = amalgam_files_serve(n, quota, read_only);
    return index;
}

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
    pthread_t thread[TUNNELS];
    unsigned n = 0;
    for (int i = 1; i < argc; i++)
        if (!read_argument(argv[i])) {
            printf("fileserver: '%s' is no argument; there are quota=BYTES and read-only\n", argv[i]);
            return 2;
        }
    for (struct amalgam_tunnel t; n < TUNNELS && !amalgam_tunnel_open(n, &t); n++)
        if (pthread_create(&thread[n], NULL, serve, (void *)(uintptr_t)n)) {
            printf("fileserver: no thread for tunnel %u: give it one for each, and one\n", n);
            return 1;
        }
    printf("fileserver: serves %u\n", n);
    for (unsigned i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
        printf("fileserver: tunnel %u ended with %d\n", i, -ended[i]);
    }
    return n ? 0 : 1;
}
