/* SPDX-License-Identifier: MIT */
/*
 * echo.c - serves port 7 (RFC 862) of TCP and UDP, by one thread with poll(). When there are as many connections as it
 * keeps, the one that has been silent longest is closed for a new one; who has gone without a word is noticed by
 * keepalives. It says how many connections there were, and how many bytes.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT  7
#define MOST  24 /* connections */
#define FIRST 2  /* place of the first one; before it are the listening socket and the datagrams' */

static struct pollfd at[FIRST + MOST];
static unsigned long heard[FIRST + MOST]; /* when, by a count */
static unsigned long events, connections, bytes;

static int bound(int type)
{
    const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    int s = socket(AF_INET, type, 0), one = 1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (s < 0 || bind(s, (const struct sockaddr *)&any, sizeof any)) {
        perror("echo: bind");
        exit(1);
    }
    return s;
}

static void end(unsigned place)
{
    close(at[place].fd);
    at[place].fd = -1;
}

/* Returns a free place, or that of the connection that was silent longest. */
static unsigned place(void)
{
    unsigned oldest = FIRST;
    for (unsigned i = FIRST; i < FIRST + MOST; i++) {
        if (at[i].fd < 0)
            return i;
        if (heard[i] < heard[oldest])
            oldest = i;
    }
    end(oldest);
    return oldest;
}

static void take(void)
{
    static const int on = 1, idle = 5, interval = 1, times = 3;
    unsigned i = place();
    at[i].fd = accept4(at[0].fd, NULL, NULL, SOCK_NONBLOCK);
    at[i].events = POLLIN;
    heard[i] = ++events;
    if (at[i].fd < 0)
        return;
    setsockopt(at[i].fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(at[i].fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(at[i].fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(at[i].fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
    if (++connections % 10 == 1)
        printf("echo: %lu connections, %lu bytes\n", connections, bytes);
}

/* Send back what has come. One that does not take it (a slow reader) is waited for a little, then closed. */
static void serve(unsigned i)
{
    static char data[4096];
    ssize_t n = recv(at[i].fd, data, sizeof data, 0);
    heard[i] = ++events;
    for (ssize_t done = 0; done < n;) {
        ssize_t more = send(at[i].fd, data + done, (size_t)(n - done), MSG_NOSIGNAL);
        struct pollfd room = { at[i].fd, POLLOUT, 0 };
        if (more < 0 && (errno != EAGAIN || poll(&room, 1, 2000) <= 0))
            n = -1;
        else if (more > 0)
            done += more;
    }
    if (n <= 0)
        end(i);
    else
        bytes += (unsigned long)n;
}

static void serve_datagram(void)
{
    static char data[2048];
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    ssize_t n = recvfrom(at[1].fd, data, sizeof data, MSG_DONTWAIT, (struct sockaddr *)&from, &length);
    if (n >= 0)
        sendto(at[1].fd, data, (size_t)n, MSG_DONTWAIT, (struct sockaddr *)&from, length);
}

int main(void)
{
    memset(at, -1, sizeof at);
    at[0] = (struct pollfd){ bound(SOCK_STREAM), POLLIN, 0 };
    at[1] = (struct pollfd){ bound(SOCK_DGRAM), POLLIN, 0 };
    if (listen(at[0].fd, SOMAXCONN))
        perror("echo: listen");
    puts("echo: serves");
    for (;;) {
        poll(at, FIRST + MOST, -1);
        for (unsigned i = FIRST; i < FIRST + MOST; i++)
            if (at[i].fd >= 0 && at[i].revents)
                serve(i);
        if (at[1].revents)
            serve_datagram();
        if (at[0].revents)
            take();
    }
}
