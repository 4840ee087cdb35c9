/* SPDX-License-Identifier: MIT */
/* tunnels.h - for servers: a thread for each tunnel. The program defines PROGRAM, its name, before it includes this,
 * and serve_tunnel(). */
#ifndef AMALGAM_PROGRAMS_TUNNELS_H
#define AMALGAM_PROGRAMS_TUNNELS_H

#include <amalgam/tunnel.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TUNNELS 16 /* at most */

/* Serve who is at the other end of a tunnel until it is withdrawn. Returns why not, below 0. */
static int serve_tunnel(unsigned tunnel);

static int tunnel_ended[TUNNELS];

static void *serve_in_thread(void *tunnel)
{
    unsigned n = (unsigned)(uintptr_t)tunnel;
    tunnel_ended[n] = serve_tunnel(n);
    return tunnel;
}

/* Returns the number behind the last tunnel of the process, of those from `first` on. */
static inline unsigned tunnels_end(unsigned first)
{
    struct amalgam_tunnel t;
    while (first < TUNNELS && !amalgam_tunnel_open(first, &t))
        first++;
    return first;
}

/* Serve tunnels `first` to `end` - 1, and say how each has ended. Returns false: there is no thread for one of them,
 * which is said. */
static bool serve_tunnels(unsigned first, unsigned end)
{
    pthread_t thread[TUNNELS];
    for (unsigned n = first; n < end; n++)
        if (pthread_create(&thread[n], NULL, serve_in_thread, (void *)(uintptr_t)n)) {
            printf(PROGRAM ": no thread for tunnel %u: give it one for each, and one\n", n);
            return false;
        }
    printf(PROGRAM ": serves %u\n", end - first);
    for (unsigned n = first; n < end; n++) {
        pthread_join(thread[n], NULL);
        printf(PROGRAM ": tunnel %u ended with %d\n", n, -tunnel_ended[n]);
    }
    return true;
}

#endif
