/* SPDX-License-Identifier: MIT */
/*
 * netcost.c - measures what sockets cost (bench/net), in ticks of the time stamp counter, which under icount are
 * instructions: those of all that runs on the core, both stacks and the kernel. Prints lines `bench NAME MINIMUM MEDIAN
 * SAMPLES`. Arguments [netcost, ROLE, ADDRESS]:
 *   serve          answers for `talk`
 *   talk ADDRESS   prints `udp-echo` and `tcp`
 *   ping ADDRESS   prints `ping`
 * `udp-echo` is from sendto() to the answer's recvfrom(), 56 bytes; `ping` the same by ICMP, to whoever has the
 * address; `tcp` is a lot of BYTES by a connection, from the first send() to the answer that all have come.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../../programs/ticks.h"

#define PORT    7
#define WARM    16
#define SAMPLES 1000
#define LOTS    8
#define BYTES   (1u << 20)
#define DATA    56

static uint64_t sample[SAMPLES];
static char data[16384];
static struct sockaddr_in peer = { .sin_family = AF_INET, .sin_port = htons(PORT) };

static void report(const char *name, size_t n)
{
    qsort(sample, n, sizeof *sample, by_size);
    printf("bench %s %llu %llu %zu\n", name, (unsigned long long)sample[0], (unsigned long long)sample[n / 2], n);
}

static void must(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

/* --- who answers -------------------------------------------------------------------------------------------------- */

static void *serve_streams(void *unused)
{
    static char in[16384];
    const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    int l = socket(AF_INET, SOCK_STREAM, 0);
    must(!bind(l, (const struct sockaddr *)&any, sizeof any) && !listen(l, 1), "netcost: listen");
    for (;;) {
        int s = accept(l, NULL, NULL);
        for (size_t all = 0; s >= 0;) {
            ssize_t n = recv(s, in, sizeof in, 0);
            if (n <= 0)
                break;
            all += (size_t)n;
            if (all % BYTES == 0)
                send(s, in, 1, 0);
        }
        close(s);
    }
    return unused;
}

static void serve(void)
{
    const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    struct sockaddr_in from;
    pthread_t other;
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    must(!bind(s, (const struct sockaddr *)&any, sizeof any), "netcost: bind");
    must(!pthread_create(&other, NULL, serve_streams, NULL), "netcost: thread");
    for (;;) {
        socklen_t length = sizeof from;
        ssize_t n = recvfrom(s, data, sizeof data, 0, (struct sockaddr *)&from, &length);
        if (n >= 0)
            sendto(s, data, (size_t)n, 0, (const struct sockaddr *)&from, length);
    }
}

/* --- who asks ----------------------------------------------------------------------------------------------------- */

/* Send `n` bytes, and wait for an answer at least as long; one that is lost is asked for again, and not counted. */
static void rounds(int s, const char *name, size_t n)
{
    const struct timeval second = { 1, 0 };
    struct sockaddr_in from;
    char answer[256];
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    for (int i = -WARM; i < SAMPLES;) {
        socklen_t length = sizeof from;
        uint64_t before = ticks();
        ssize_t sent = sendto(s, data, n, 0, (const struct sockaddr *)&peer, sizeof peer);
        ssize_t got = sent < 0 ? -1 : recvfrom(s, answer, sizeof answer, 0, (struct sockaddr *)&from, &length);
        uint64_t after = ticks();
        if (got < (ssize_t)n) {
            sleep(1);
            continue;
        }
        if (i >= 0)
            sample[i] = after - before;
        i++;
    }
    report(name, SAMPLES);
}

static void ping(void)
{
    static const unsigned char echo[8] = { 8, 0, 0xf7, 0xff }; /* with zeros: its checksum */
    int s = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
    must(s >= 0, "netcost: socket");
    memcpy(data, echo, sizeof echo);
    rounds(s, "ping", sizeof echo + DATA);
}

static void stream(void)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);
    must(!connect(s, (const struct sockaddr *)&peer, sizeof peer), "netcost: connect");
    for (int i = 0; i < LOTS; i++) {
        char answer;
        uint64_t before = ticks();
        for (size_t sent = 0; sent < BYTES; sent += sizeof data)
            must(send(s, data, sizeof data, 0) == sizeof data, "netcost: send");
        must(recv(s, &answer, 1, 0) == 1, "netcost: recv");
        sample[i] = ticks() - before;
    }
    close(s);
    report("tcp", LOTS);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "serve"))
        serve();
    if (argc < 3 || inet_pton(AF_INET, argv[2], &peer.sin_addr) != 1) {
        puts("netcost: arguments: netcost serve | talk ADDRESS | ping ADDRESS");
        return 2;
    }
    if (!strcmp(argv[1], "ping")) {
        ping();
    } else {
        rounds(socket(AF_INET, SOCK_DGRAM, 0), "udp-echo", DATA);
        stream();
    }
    puts("netcost: done");
    return 0;
}
