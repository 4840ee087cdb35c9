/* SPDX-License-Identifier: MIT */
/* network.c - rounds over the loopback device. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

#define TCP_BYTES (32 << 10)
#define UDP_BYTES 1024

static int listening(int type, struct sockaddr_in *at)
{
    socklen_t length = sizeof(*at);
    int s = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    *at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (s < 0 || bind(s, (void *)at, sizeof(*at)) || getsockname(s, (void *)at, &length) ||
        (type == SOCK_STREAM && listen(s, 1)))
        return -1;
    return s;
}

static int send_all(int s, const char *data, size_t bytes)
{
    for (size_t sent = 0; sent < bytes;) {
        ssize_t n = write(s, data + sent, bytes - sent);
        if (n < 0)
            return wrong("tcp: %s", strerror(errno));
        sent += (size_t)n;
    }
    return 0;
}

/* A child sends; we must receive every byte in order. */
int round_tcp(uint64_t n)
{
    static uint64_t data[TCP_BYTES / 8];
    struct sockaddr_in at;
    int server = listening(SOCK_STREAM, &at), status;
    if (server < 0)
        return wrong("tcp: %s", strerror(errno));
    pid_t pid = fork();
    if (!pid) {
        int s = socket(AF_INET, SOCK_STREAM, 0);
        pattern_fill(data, TCP_BYTES, n);
        _exit(s < 0 || connect(s, (void *)&at, sizeof(at)) || send_all(s, (void *)data, TCP_BYTES));
    }
    int s = pid < 0 ? -1 : accept(server, NULL, NULL);
    size_t got = 0;
    for (ssize_t part = 1; s >= 0 && part > 0 && got<TCP_BYTES; got += part> 0 ? (size_t)part : 0)
        part = read(s, (char *)data + got, TCP_BYTES - got);
    close(s);
    close(server);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status || got != TCP_BYTES)
        return wrong("tcp: %zu bytes of %d came", got, TCP_BYTES);
    return pattern_check(data, TCP_BYTES, n);
}

/* Send datagrams to this process itself. They fit into the socket's buffer, so none may be lost. */
int round_udp(uint64_t n)
{
    uint64_t data[UDP_BYTES / 8];
    struct sockaddr_in at;
    int s = listening(SOCK_DGRAM, &at), bad = 0;
    if (s < 0)
        return wrong("udp: %s", strerror(errno));
    for (uint64_t i = 0; i < 8; i++) {
        pattern_fill(data, UDP_BYTES, n * 8 + i);
        bad |= sendto(s, data, UDP_BYTES, 0, (void *)&at, sizeof(at)) != UDP_BYTES;
    }
    for (uint64_t i = 0; i < 8 && !bad; i++)
        bad = recv(s, data, UDP_BYTES, 0) != UDP_BYTES || pattern_check(data, UDP_BYTES, n * 8 + i);
    close(s);
    return bad ? wrong("udp: a datagram was lost or changed") : 0;
}
