/* SPDX-License-Identifier: MIT */
/*
 * amalgam-tunnel - play ping-pong over a tunnel from a Linux program.
 *   amalgam-tunnel ping|pong [ROUNDS [LENGTH [DEVICE]]]     default 1000 64 /dev/uio0
 * The peer is another guest with the same protocol (guests/include/tunnel.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tunnel.h"

static int device;

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

static void ring(void)
{
    int one = 1;
    while (write(device, &one, sizeof(one)) < 0) {
        if (errno != EAGAIN) {
            perror("amalgam-tunnel: ring");
            exit(1);
        }
        usleep(10000); /* EAGAIN: the peer does not run yet */
    }
}

static void wait_for(const struct tunnel_box *box, uint32_t seen)
{
    int count;
    while (tunnel_seq(box) == seen)
        if (read(device, &count, sizeof(count)) < 0 && errno != EINTR) {
            perror("amalgam-tunnel: wait");
            exit(1);
        }
}

static int by_size(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return x < y ? -1 : x > y;
}

static int ping(struct tunnel_box *box, long rounds, uint32_t length)
{
    uint8_t out[TUNNEL_BOX_DATA], back[TUNNEL_BOX_DATA];
    long *took = calloc(rounds, sizeof(*took)), wrong = 0;
    if (!took)
        return 1;
    for (long i = 0; i < rounds; i++) {
        for (uint32_t b = 0; b < length; b++)
            out[b] = i * 7 + b;
        uint32_t seen = tunnel_seq(&box[1]);
        long t0 = now_ns();
        tunnel_put(&box[0], out, length);
        ring();
        wait_for(&box[1], seen);
        int good = tunnel_take(&box[1], back) == (int)length;
        took[i] = now_ns() - t0;
        for (uint32_t b = 0; good && b < length; b++)
            good = (back[b] ^ out[b]) == 0xff;
        wrong += !good;
    }
    qsort(took, rounds, sizeof(*took), by_size);
    printf("amalgam-tunnel: ping n=%ld wrong=%ld min=%ld median=%ld max=%ld ns\n", rounds, wrong, took[0],
           took[rounds / 2], took[rounds - 1]);
    free(took);
    return wrong != 0;
}

static int pong(struct tunnel_box *box, long rounds)
{
    uint8_t data[TUNNEL_BOX_DATA];
    uint32_t seen = tunnel_seq(&box[0]) ? tunnel_seq(&box[0]) - 1 : 0;
    for (long i = 0; i < rounds; i++) {
        wait_for(&box[0], seen);
        seen = tunnel_seq(&box[0]);
        int length = tunnel_take(&box[0], data);
        for (int b = 0; b < length; b++)
            data[b] = ~data[b];
        tunnel_put(&box[1], data, length < 0 ? 0 : length);
        ring();
    }
    printf("amalgam-tunnel: pong n=%ld\n", rounds);
    return 0;
}

int main(int argc, char **argv)
{
    long rounds = argc > 2 ? atol(argv[2]) : 1000, length = argc > 3 ? atol(argv[3]) : 64;
    const char *path = argc > 4 ? argv[4] : "/dev/uio0";
    if (argc < 2 || (strcmp(argv[1], "ping") && strcmp(argv[1], "pong")) || rounds < 1 || rounds > 1000000 ||
        length < 0 || length > TUNNEL_BOX_DATA) {
        fprintf(stderr, "usage: amalgam-tunnel ping|pong [ROUNDS [LENGTH [DEVICE]]], LENGTH up to %d\n",
                TUNNEL_BOX_DATA);
        return 2;
    }
    device = open(path, O_RDWR);
    struct tunnel_box *box = device < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
    if (box == MAP_FAILED) {
        fprintf(stderr, "amalgam-tunnel: %s: %s (is the module amalgam_tunnel loaded?)\n", path, strerror(errno));
        return 1;
    }
    return strcmp(argv[1], "ping") ? pong(box, rounds) : ping(box, rounds, length);
}
