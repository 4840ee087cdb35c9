/* SPDX-License-Identifier: MIT */
/*
 * netcost.c - measures what sockets cost (bench/net), in ticks of the time stamp counter, which under icount are
 * instructions: those of all that runs on the core, both stacks and the kernel. Prints lines `bench NAME MINIMUM MEDIAN
 * SAMPLES`. Arguments [netcost, ROLE, ADDRESS]:
 *   serve          answers for `talk`
 *   talk ADDRESS   prints `udp-echo` and `tcp`
 *   stream ADDRESS prints `tcp`, of twice as many lots, when all of it has come
 *   ping ADDRESS   prints `ping`
 *   both ADDRESS   prints `ping`, then what `talk` prints
 *   flood ADDRESS N [MICROSECONDS between an answer and the next question]
 *                  prints `window-late`, of core 0 up to the end of N questions and answers in frames of 60 bytes, with
 *                  the number of windows that have begun
 *   bursts ADDRESS N
 *                  asks N questions in frames of 60 bytes, as many at once as a socket keeps answers; says so, and goes
 *                  on with them for ever
 *   beside ADDRESS SERVER PRIORITY...
 *                  sets the server's priority, by the status handle, to one after the other; for each it prints
 *                  `latency-PRIORITY`, `rounds PRIORITY ...`, what each took, and `stream-PRIORITY`
 *
 * `udp-echo` is from sendto() to the answer's recvfrom(), 56 bytes; `ping` the same by ICMP, to whoever has the
 * address; `tcp` is a lot of BYTES by a connection, from the first send() to the answer that all have come. But for
 * what asks the kernel for its status it is plain POSIX, so that Linux runs it, too (guests/linux/netpeer).
 */
#ifndef __linux__
#include <amalgam/status.h>
#endif
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

#include "../../../include/ticks.h"

#define PORT    7
#define WARM    16
#define SAMPLES 1000
#define LOTS    8
#define FEW     200     /* rounds of `beside`, */
#define PAUSE   1370000 /* and how far they are apart: no part of what computes beside them */
#define BYTES   (1u << 20)
#define DATA    56
#define SHORT   18 /* of a datagram in the shortest frame */
#define BURST   16

static uint64_t sample[SAMPLES];
static char data[16384];
static struct sockaddr_in peer = { .sin_family = AF_INET };

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

/* Send `n` bytes, and wait for an answer at least as long; one that is lost is asked for again, and not counted.
 * `pause`: nanoseconds between an answer and the next question. */
static void rounds(int s, size_t n, int samples, long pause)
{
    const struct timeval second = { 1, 0 };
    struct sockaddr_in from;
    char answer[256];
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    for (int i = -WARM; i < samples;) {
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
        if (pause)
            nanosleep(&(struct timespec){ 0, pause }, NULL);
    }
}

/* Ask BURST questions at once, so that their answers come at once, too. Returns how many were answered in time. */
static int burst(int s)
{
    char answer[256];
    int n = 0;
    for (int i = 0; i < BURST; i++)
        sendto(s, data, SHORT, 0, (const struct sockaddr *)&peer, sizeof peer);
    while (n < BURST && recv(s, answer, sizeof answer, 0) > 0)
        n++;
    return n;
}

static void bursts(int n)
{
    const struct timeval second = { 1, 0 };
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    for (; n > 0; n -= burst(s))
        ;
    puts("netcost: all are answered");
    fflush(stdout);
    for (;;)
        burst(s);
}

static void ping(void)
{
    static const unsigned char echo[8] = { 8, 0, 0xf7, 0xff }; /* with zeros: its checksum */
    int s = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
    must(s >= 0, "netcost: socket");
    memcpy(data, echo, sizeof echo);
    rounds(s, sizeof echo + DATA, SAMPLES, 0);
    report("ping", SAMPLES);
}

static void stream(const char *name, int lots)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);
    must(!connect(s, (const struct sockaddr *)&peer, sizeof peer), "netcost: connect");
    for (int i = 0; i < lots; i++) {
        char answer;
        uint64_t before = ticks();
        for (size_t sent = 0; sent < BYTES; sent += sizeof data)
            must(send(s, data, sizeof data, 0) == sizeof data, "netcost: send");
        must(recv(s, &answer, 1, 0) == 1, "netcost: recv");
        sample[i] = ticks() - before;
    }
    close(s);
    report(name, (size_t)lots);
}

#ifndef __linux__
/* Returns the number of the domain of that name. */
static unsigned domain_named(int64_t status, const char *name)
{
    struct amalgam_domain_status d;
    unsigned n = 0;
    while (amalgam_domain_status(status, n, &d) && strncmp(d.name, name, sizeof d.name) != 0)
        n++;
    return n;
}

/* In the order of the rounds, which the report loses. */
static void print_rounds(unsigned priority)
{
    for (int i = 0; i < FEW; i += 8) {
        printf("rounds %u", priority);
        for (int k = i; k < i + 8; k++)
            printf(" %llu", (unsigned long long)sample[k]);
        putchar('\n');
    }
}

static void beside(const char *server, char *const priorities[])
{
    int64_t status = amalgam_status_open();
    unsigned domain = domain_named(status, server);
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    char name[32];
    for (; *priorities; priorities++) {
        unsigned priority = (unsigned)atoi(*priorities);
        must(amalgam_status_priority((unsigned)status, domain, priority) == 0, "netcost: priority");
        rounds(s, DATA, FEW, PAUSE);
        print_rounds(priority);
        snprintf(name, sizeof name, "latency-%u", priority);
        report(name, FEW);
        snprintf(name, sizeof name, "stream-%u", priority);
        stream(name, LOTS);
    }
}

/* Questions and answers in frames of 60 bytes, and how late the latest window of core 0 began meanwhile. */
static void flood(int n, long pause)
{
    struct amalgam_core_status core = { 0 };
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    for (; n > 0; n -= SAMPLES)
        rounds(s, SHORT, n < SAMPLES ? n : SAMPLES, pause);
    must(amalgam_core_status(amalgam_status_open(), 0, &core), "netcost: status");
    printf("bench window-late %llu %llu %llu\n", (unsigned long long)core.late, (unsigned long long)core.late,
           (unsigned long long)core.edges);
}

/* Returns whether the arguments name one of these. */
static int by_status(int argc, char **argv)
{
    if (!strcmp(argv[1], "flood") && argc > 3)
        flood(atoi(argv[3]), argc > 4 ? 1000 * atol(argv[4]) : 0);
    else if (!strcmp(argv[1], "beside") && argc > 3)
        beside(argv[3], argv + 4);
    else
        return 0;
    return 1;
}
#else
static int by_status(int argc, char **argv)
{
    (void)argc, (void)argv;
    return 0;
}
#endif

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "serve"))
        serve();
    if (argc < 3 || inet_pton(AF_INET, argv[2], &peer.sin_addr) != 1) {
        puts("netcost: arguments: netcost serve | talk ADDRESS | stream ADDRESS | ping ADDRESS | both ADDRESS | beside "
             "ADDRESS ...");
        return 2;
    }
    peer.sin_port = htons(PORT);
    if (!strcmp(argv[1], "ping")) {
        ping();
    } else if (!strcmp(argv[1], "stream")) {
        stream("tcp", 2 * LOTS);
    } else if (!strcmp(argv[1], "bursts") && argc > 3) {
        bursts(atoi(argv[3]));
    } else if (!by_status(argc, argv)) {
        if (!strcmp(argv[1], "both"))
            ping();
        rounds(socket(AF_INET, SOCK_DGRAM, 0), DATA, SAMPLES, 0);
        report("udp-echo", SAMPLES);
        stream("tcp", LOTS);
    }
    puts("netcost: done");
    return 0;
}
