/* SPDX-License-Identifier: MIT */
/*
 * talk.c - talks to a server of port 7: arguments [talk, ROLE, ADDRESS, ...]
 *   check ADDRESS [ROUNDS]   datagrams of all lengths, and 1 MiB by a connection, are the same when they come back;
 * again and again (default 1, 0 for ever) half ADDRESS N           opens N connections, says nothing, and dies in the
 * middle of a call (a fault) slow ADDRESS             sends for ever and reads nothing
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT      7
#define ALL       (1u << 20)
#define DATAGRAMS 500
#define TRIES     100 /* connections that are tried until the server is there, 0.1 s after each other */

static struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(PORT) };

static unsigned char byte(uint32_t i) { return (unsigned char)(i * 2654435761u >> 24); }

static void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }

static int connected(void)
{
    for (int i = 0; i < TRIES; i++) {
        int s = socket(AF_INET, SOCK_STREAM, 0);
        if (s < 0)
            return -1;
        if (!connect(s, (const struct sockaddr *)&server, sizeof server))
            return s;
        int error = errno;
        close(s);
        errno = error;
        pause_ms(100);
    }
    return -1;
}

/* Datagrams may be lost; at most 1 of 10 is here, where the server has one buffer for all. Returns how many came back.
 */
static unsigned datagrams(void)
{
    static unsigned char out[1472], back[2048];
    const struct timeval soon = { 0, 500000 };
    unsigned right = 0;
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    if (connect(s, (const struct sockaddr *)&server, sizeof server))
        perror("talk: connect");
    for (uint32_t i = 0; i < DATAGRAMS; i++) {
        size_t n = 4 + i * 13 % (sizeof out - 4);
        ssize_t got;
        for (size_t k = 0; k < n; k++)
            out[k] = byte(i + (uint32_t)k);
        memcpy(out, &i, sizeof i);
        send(s, out, n, 0);
        while ((got = recv(s, back, sizeof back, 0)) > 0 && memcmp(back, &i, sizeof i))
            ; /* a late one */
        right += got == (ssize_t)n && !memcmp(out, back, n);
    }
    close(s);
    return right;
}

static void *put(void *socket)
{
    static unsigned char data[4096];
    int s = *(int *)socket;
    for (uint32_t i = 0; i < ALL; i += sizeof data) {
        for (uint32_t k = 0; k < sizeof data; k++)
            data[k] = byte(i + k);
        if (send(s, data, sizeof data, 0) != sizeof data)
            break;
    }
    shutdown(s, SHUT_WR);
    return NULL;
}

/* Returns how many bytes of a stream came back right. */
static uint32_t stream(void)
{
    static unsigned char data[4096];
    pthread_t writer;
    uint32_t i = 0, wrong = 0;
    ssize_t n;
    int s = connected();
    if (s < 0 || pthread_create(&writer, NULL, put, &s))
        return 0;
    while ((n = recv(s, data, sizeof data, 0)) > 0)
        for (ssize_t k = 0; k < n; k++, i++)
            wrong += data[k] != byte(i);
    pthread_join(writer, NULL);
    close(s);
    return i - wrong;
}

static int check(unsigned long rounds)
{
    bool good = true;
    for (unsigned long i = 1; !rounds || i <= rounds; i++) {
        uint32_t bytes = stream();
        unsigned right = datagrams();
        good = bytes == ALL && right >= DATAGRAMS * 9 / 10;
        printf("talk: round %lu: %u bytes and %u datagrams came back, %s\n", i, (unsigned)bytes, right,
               good ? "right" : "WRONG");
        if (!good)
            break;
    }
    return good ? 0 : 1;
}

static void half(unsigned long n)
{
    unsigned long made = 0;
    while (made < n && connected() >= 0)
        made++;
    printf("talk: %lu connections are open\n", made);
    pause_ms(100);
    volatile int *volatile nowhere = NULL;
    *nowhere = 0;
}

static int slow(void)
{
    static char data[4096];
    int s = connected();
    while (send(s, data, sizeof data, 0) > 0)
        ;
    printf("talk: the server ended it: %s\n", strerror(errno));
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
    if (argc < 3 || inet_pton(AF_INET, argv[2], &server.sin_addr) != 1) {
        puts("talk: arguments: talk check|half|slow ADDRESS [N]");
        return 2;
    }
    if (!strcmp(argv[1], "check"))
        return check(n);
    if (!strcmp(argv[1], "slow"))
        return slow();
    half(n);
}
