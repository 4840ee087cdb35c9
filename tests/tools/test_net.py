# SPDX-License-Identifier: MIT
"""Sockets of processes (user/net) on this machine's Linux, with process_runner.c in the kernel's place: the loopback of the stack in the program."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest
from amalgam import paths
from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs

Done = subprocess.CompletedProcess

PROLOGUE = """
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
__attribute__((unused)) static int wrong;
#define MUST(what) do if (!(what)) { wrong = 1; printf("line %d: %s, errno %d\\n", __LINE__, #what, errno); } while (0)
__attribute__((unused)) static void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }
__attribute__((unused)) static struct sockaddr_in at(unsigned short port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = { htonl(INADDR_LOOPBACK) } };
}
__attribute__((unused)) static int listening(unsigned short port)
{
    struct sockaddr_in a = at(port);
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    MUST(s >= 0 && !setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) && !bind(s, (struct sockaddr *)&a, sizeof a) && !listen(s, 5));
    return s;
}
__attribute__((unused)) static int connected(unsigned short port)
{
    struct sockaddr_in a = at(port);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    MUST(s >= 0 && !connect(s, (struct sockaddr *)&a, sizeof a));
    return s;
}
__attribute__((unused)) static int datagrams(unsigned short port)
{
    struct sockaddr_in a = at(port);
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    MUST(s >= 0 && !bind(s, (struct sockaddr *)&a, sizeof a));
    return s;
}
#line 1
"""


@pytest.fixture
def net(process: Callable[..., Done], tmp_path: Path) -> Callable[..., None]:
    """Compile C text that uses sockets, run it, and take it that it prints "right"."""

    def compiled(text: str, **how: object) -> None:
        (tmp_path / "main.c").write_text(PROLOGUE + text + '\nint main(void) { test(); puts(wrong ? "wrong" : "right"); return wrong; }\n')
        words = ["cc", "--net", "-Wall", "-Wextra", "-Werror", "-O2", tmp_path / "main.c", "-o", tmp_path / "program"]
        done = subprocess.run([paths.ROOT / "amalgam", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        done = process(tmp_path / "program", "program", threads=6, timeout=60, **{"memory": 1024} | how)
        assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr

    return compiled


def test_a_stream_brings_every_byte_in_order(net: Callable[..., None]) -> None:
    net(
        r"""
#define ALL (1 << 20)
static unsigned char byte(unsigned i) { return (unsigned char)(i * 2654435761u >> 24); }
static void *answer(void *listener)
{
    char data[3000];
    ssize_t n;
    int s = accept(*(int *)listener, NULL, NULL);
    while ((n = read(s, data, sizeof data)) > 0)
        for (ssize_t done = 0, more; done < n; done += more)
            MUST((more = write(s, data + done, (size_t)(n - done))) > 0);
    MUST(n == 0 && !close(s));
    return NULL;
}
static void *put(void *socket)
{
    static unsigned char data[7777];
    for (unsigned i = 0; i < ALL;) {
        unsigned n = ALL - i < sizeof data ? ALL - i : sizeof data;
        for (unsigned k = 0; k < n; k++)
            data[k] = byte(i + k);
        MUST(send(*(int *)socket, data, n, 0) == (ssize_t)n);
        i += n;
    }
    MUST(!shutdown(*(int *)socket, SHUT_WR));
    return NULL;
}
static void test(void)
{
    static unsigned char data[4096];
    int l = listening(7), s;
    pthread_t server, writer;
    pthread_create(&server, NULL, answer, &l);
    s = connected(7);
    pthread_create(&writer, NULL, put, &s);
    unsigned i = 0;
    for (ssize_t n; (n = recv(s, data, sizeof data, 0)) > 0;)
        for (ssize_t k = 0; k < n; k++, i++)
            if (data[k] != byte(i))
                wrong = 1;
    MUST(i == ALL);
    pthread_join(server, NULL);
    pthread_join(writer, NULL);
}"""
    )


def test_datagrams_keep_their_bounds_and_say_where_they_are_from(net: Callable[..., None]) -> None:
    net(
        r"""
static void test(void)
{
    char data[2000], back[2000];
    int a = datagrams(1000), b = datagrams(2000);
    struct sockaddr_in to = at(2000), from;
    for (size_t n = 0; n <= 1400; n += 100) {
        socklen_t length = sizeof from;
        memset(data, (int)n, n);
        MUST(sendto(a, data, n, 0, (struct sockaddr *)&to, sizeof to) == (ssize_t)n);
        MUST(recvfrom(b, back, sizeof back, 0, (struct sockaddr *)&from, &length) == (ssize_t)n && !memcmp(data, back, n));
        MUST(length == sizeof from && from.sin_port == htons(1000) && from.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    }
    MUST(sendto(a, "abcdef", 6, 0, (struct sockaddr *)&to, sizeof to) == 6 && recv(b, back, 3, 0) == 3 && !memcmp(back, "abc", 3));
    MUST(!connect(a, (struct sockaddr *)&to, sizeof to) && send(a, "x", 1, MSG_NOSIGNAL) == 1 && recv(b, back, 9, MSG_PEEK) == 1);
    MUST(recv(b, back, 9, 0) == 1 && recv(b, back, 9, MSG_DONTWAIT) == -1 && errno == EAGAIN);
}"""
    )


def test_a_socket_is_a_file(net: Callable[..., None]) -> None:
    """dup(), fcntl(), fstat(), readv(), stdio, poll() and select() work on its number; it ends with the last one."""
    net(
        r"""
#include <sys/stat.h>
#include <sys/uio.h>
static void test(void)
{
    struct stat st;
    char data[10], more[10];
    int l = listening(80), s = connected(80), c = accept(l, NULL, NULL), twin = dup(c), n = 0;
    MUST(s == 4 && c == 5 && twin == 6 && !fstat(c, &st) && S_ISSOCK(st.st_mode) && !isatty(c));
    MUST(lseek(c, 0, SEEK_SET) == -1 && errno == ESPIPE);
    MUST(!close(c) && write(s, "hello", 5) == 5 && readv(twin, (struct iovec[]){ { data, 2 }, { more, 10 } }, 2) == 5);
    MUST(!memcmp(data, "he", 2) && !memcmp(more, "llo", 3));
    MUST(fcntl(s, F_SETFL, O_NONBLOCK) == 0 && (fcntl(s, F_GETFL) & O_NONBLOCK) && read(s, data, 1) == -1 && errno == EAGAIN);
    struct pollfd p[2] = { { s, POLLIN, 0 }, { twin, POLLIN | POLLOUT, 0 } };
    MUST(poll(p, 1, 0) == 0 && poll(p, 1, 20) == 0 && poll(p, 2, -1) == 1 && p[1].revents == POLLOUT);
    MUST(write(twin, "12345", 5) == 5 && poll(p, 1, 1000) == 1 && poll(p, 2, 0) == 2 && !ioctl(s, FIONREAD, &n) && n == 5);
    fd_set in, out;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(s, &in);
    FD_SET(twin, &in);
    FD_SET(twin, &out);
    MUST(select(twin + 1, &in, &out, NULL, &(struct timeval){ 1, 0 }) == 2 && FD_ISSET(s, &in) && !FD_ISSET(twin, &in) && FD_ISSET(twin, &out));
    FILE *f = fdopen(dup(twin), "w");
    MUST(read(s, data, 10) == 5 && fprintf(f, "line %d\n", 7) == 7 && !fclose(f));
    n = 0, ioctl(s, FIONBIO, &n);
    MUST(recv(s, data, 7, MSG_WAITALL) == 7 && !memcmp(data, "line 7\n", 7));
    MUST(!close(twin) && read(s, data, 1) == 0 && !close(s) && read(s, data, 1) == -1 && errno == EBADF && !close(l));
}"""
    )


def test_who_polls_is_woken_by_what_comes(net: Callable[..., None]) -> None:
    net(
        r"""
static void *send_late(void *socket)
{
    for (int i = 0; i < 20; i++) {
        pause_ms(5);
        MUST(send(*(int *)socket, "x", 1, 0) == 1);
    }
    return NULL;
}
static void test(void)
{
    pthread_t other;
    char c;
    int l = listening(80), s = connected(80);
    struct pollfd p = { l, POLLIN, 0 };
    MUST(poll(&p, 1, 5000) == 1);
    p.fd = accept(l, NULL, NULL);
    pthread_create(&other, NULL, send_late, &s);
    for (int i = 0; i < 20; i++)
        MUST(poll(&p, 1, 5000) == 1 && read(p.fd, &c, 1) == 1);
    pthread_join(other, NULL);
}"""
    )


def test_a_call_that_does_not_wait_says_so(net: Callable[..., None]) -> None:
    net(
        r"""
static void test(void)
{
    struct sockaddr_in a = at(80);
    char data[4000] = "";
    int l = listening(80), error = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), sent = 0;
    socklen_t length = sizeof error;
    fcntl(l, F_SETFL, O_NONBLOCK);
    MUST(accept(l, NULL, NULL) == -1 && errno == EAGAIN);
    MUST(connect(s, (struct sockaddr *)&a, sizeof a) == -1 && errno == EINPROGRESS);
    struct pollfd p = { s, POLLOUT, 0 }, q = { l, POLLIN, 0 };
    MUST(poll(&p, 1, 1000) == 1 && p.revents == POLLOUT && !getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &length) && !error);
    MUST(poll(&q, 1, 1000) == 1);
    int c = accept4(l, NULL, NULL, SOCK_NONBLOCK);
    MUST(c >= 0 && read(c, data, 1) == -1 && errno == EAGAIN);
    for (int n; (n = (int)write(s, data, sizeof data)) > 0; sent += n)
        MUST(sent < 1 << 20);
    MUST(errno == EAGAIN && sent > 10000);
    pause_ms(20);
    while (sent > 0 && poll(&(struct pollfd){ c, POLLIN, 0 }, 1, 1000) == 1)
        sent -= (int)read(c, data, sizeof data);
    MUST(sent == 0);
}"""
    )


def test_sockets_end_at_the_bound_of_numbers_and_all_can_be_had_again(net: Callable[..., None]) -> None:
    net(
        r"""
static void test(void)
{
    for (int round = 0; round < 5; round++) {
        int made = 0, refused = 0, first = 0;
        for (int i = 0; i < 1000; i++) {
            int s = socket(AF_INET, i % 2 ? SOCK_STREAM : SOCK_DGRAM, 0);
            made += s >= 0;
            refused += s < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS);
            first = i ? first : s;
        }
        MUST(made >= 30 && made < 64 && made + refused == 1000);
        for (int s = 3; s < 64; s++)
            close(s);
    }
}"""
    )


def test_connections_that_nobody_accepts_have_a_bound(net: Callable[..., None]) -> None:
    """Half open ones, too many for the backlog, are refused or wait; one that is accepted later works, and all can be had again."""
    net(
        r"""
static void test(void)
{
    struct sockaddr_in a = at(80);
    for (int round = 0; round < 3; round++) {
        int l = listening((unsigned short)(80 + round)), s[20], made = 0;
        a.sin_port = htons((unsigned short)(80 + round));
        for (int i = 0; i < 20; i++) {
            s[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
            MUST(s[i] >= 0);
            connect(s[i], (struct sockaddr *)&a, sizeof a);
        }
        pause_ms(50);
        for (int i = 0; i < 20; i++)
            made += poll(&(struct pollfd){ s[i], POLLOUT, 0 }, 1, 0) == 1;
        MUST(made >= 5 && made < 20);
        int c = accept(l, NULL, NULL);
        char byte = 0;
        MUST(c >= 0 && write(s[0], "z", 1) == 1 && read(c, &byte, 1) == 1 && byte == 'z');
        for (int i = 0; i < 20; i++)
            close(s[i]);
        close(c), close(l);
    }
}"""
    )


def test_errors_are_posix(net: Callable[..., None]) -> None:
    net(
        r"""
static void test(void)
{
    struct sockaddr_in a = at(9), odd = { .sin_family = 77 };
    struct sockaddr_storage large = { 0 };
    struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "/x" };
    char c;
    int two[2], s = socket(AF_INET, SOCK_STREAM, 0);
    MUST(socket(AF_UNIX, SOCK_STREAM, 0) == -1 && errno == EAFNOSUPPORT && socketpair(AF_UNIX, SOCK_STREAM, 0, two) == -1 && errno == EAFNOSUPPORT);
    MUST(socket(AF_INET, 9, 0) == -1 && errno == EPROTOTYPE && socket(AF_INET, SOCK_STREAM, IPPROTO_UDP) == -1 && errno == EPROTONOSUPPORT);
    MUST(connect(s, (struct sockaddr *)&a, sizeof a) == -1 && errno == ECONNREFUSED);
    MUST(connect(1, (struct sockaddr *)&a, sizeof a) == -1 && errno == ENOTSOCK && connect(50, (struct sockaddr *)&a, sizeof a) == -1 && errno == EBADF);
    MUST(!close(s) && (s = socket(AF_INET, SOCK_STREAM, 0)) >= 0 && send(s, "x", 1, 0) == -1 && errno == ENOTCONN && recv(s, &c, 1, 0) == -1 && errno == ENOTCONN);
    MUST(connect(s, (struct sockaddr *)&a, 3) == -1 && errno == EINVAL && connect(s, NULL, 16) == -1 && errno == EINVAL);
    MUST(connect(s, (struct sockaddr *)&odd, sizeof odd) == -1 && errno == EAFNOSUPPORT && connect(s, (struct sockaddr *)&local, sizeof local) == -1);
    memcpy(&large, &a, sizeof a);
    MUST(bind(s, (struct sockaddr *)&large, sizeof large) == 0 && accept(s, NULL, NULL) == -1 && errno == EINVAL);
    int l = listening(70), t = connected(70), u = accept(l, NULL, NULL), again = socket(AF_INET, SOCK_STREAM, 0);
    a.sin_port = htons(70);
    MUST(bind(again, (struct sockaddr *)&a, sizeof a) == -1 && errno == EADDRINUSE);
    MUST(!close(u) && read(t, &c, 1) == 0);
    pause_ms(10);
    int n = 0;
    while (n < 5 && send(t, "x", 1, MSG_NOSIGNAL) == 1)
        n++, pause_ms(10);
    MUST(n < 5 && (errno == EPIPE || errno == ECONNRESET));
    MUST(setsockopt(t, SOL_SOCKET, 0x7777, &n, sizeof n) == -1 && errno == ENOPROTOOPT);
    n = 1 << 20;
    MUST(setsockopt(again, SOL_SOCKET, SO_SNDBUF, &n, sizeof n) == 0 && setsockopt(again, IPPROTO_TCP, TCP_NODELAY, &n, sizeof n) == 0);
    MUST(ioctl(again, 7, &n) == -1 && errno == ENOTTY);
    struct timeval soon = { 0, 20000 };
    int d = datagrams(5);
    MUST(!setsockopt(d, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon) && recv(d, &c, 1, 0) == -1 && errno == EAGAIN);
}"""
    )


def test_names_and_addresses_are_read_and_written(net: Callable[..., None]) -> None:
    net(
        r"""
static void test(void)
{
    char text[64], port[16];
    struct in_addr a;
    struct in6_addr six;
    struct addrinfo *list, hints = { .ai_socktype = SOCK_STREAM, .ai_family = AF_INET };
    MUST(inet_pton(AF_INET, "10.0.2.15", &a) == 1 && a.s_addr == htonl(0x0a00020f) && !strcmp(inet_ntoa(a), "10.0.2.15"));
    MUST(inet_pton(AF_INET, "10.0.2", &a) == 0 && inet_pton(AF_INET, "10.0.2.256", &a) == 0 && inet_pton(AF_INET, "0x1.2.3.4", &a) == 0);
    MUST(inet_pton(77, "1.2.3.4", &a) == -1 && errno == EAFNOSUPPORT && inet_aton("10.1", &a) && a.s_addr == htonl(0x0a000001));
    MUST(inet_addr("1.2.3.4") == htonl(0x01020304) && inet_addr("nonsense") == INADDR_NONE);
    MUST(inet_pton(AF_INET6, "fe80::1:2", &six) == 1 && inet_ntop(AF_INET6, &six, text, sizeof text) && !strcasecmp(text, "fe80::1:2"));
    MUST(!inet_ntop(AF_INET, &a, text, 3) && errno == ENOSPC);
    MUST(getaddrinfo("localhost", "http", &hints, &list) == 0 && list->ai_addrlen == sizeof(struct sockaddr_in));
    struct sockaddr_in *in = (struct sockaddr_in *)list->ai_addr;
    MUST(in->sin_port == htons(80) && in->sin_addr.s_addr == htonl(INADDR_LOOPBACK) && list->ai_socktype == SOCK_STREAM);
    MUST(getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof text, port, sizeof port, 0) == 0 && !strcmp(text, "127.0.0.1") && !strcmp(port, "http"));
    MUST(getnameinfo(list->ai_addr, list->ai_addrlen, text, 4, port, sizeof port, 0) == EAI_OVERFLOW);
    freeaddrinfo(list);
    MUST(getaddrinfo("10.0.0.1", "8080", &hints, &list) == 0 && ((struct sockaddr_in *)list->ai_addr)->sin_port == htons(8080));
    freeaddrinfo(list);
    MUST(getaddrinfo("no.such.name", "1", &hints, &list) != 0 && strlen(gai_strerror(EAI_NONAME)) > 4);
    MUST(gethostbyname("localhost") && getservbyname("domain", "udp")->s_port == htons(53) && !getservbyname("nothing", NULL));
    MUST(getprotobyname("tcp")->p_proto == IPPROTO_TCP);
}"""
    )


def test_the_loopback_has_ipv6(net: Callable[..., None]) -> None:
    net(
        r"""
static void test(void)
{
    struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(99), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    char c = 0;
    int l = socket(AF_INET6, SOCK_STREAM, 0), s = socket(AF_INET6, SOCK_STREAM, 0);
    MUST(!bind(l, (struct sockaddr *)&a, sizeof a) && !listen(l, 1) && !connect(s, (struct sockaddr *)&a, sizeof a));
    int t = accept(l, NULL, NULL);
    MUST(write(s, "6", 1) == 1 && read(t, &c, 1) == 1 && c == '6');
}"""
    )


def test_threads_share_a_socket(net: Callable[..., None]) -> None:
    """Two write and two read one stream at once: no byte is lost or doubled. A number is closed while one waits at it: it waits on."""
    net(
        r"""
static int s, t;
static unsigned count[256];
static void *writes(void *base)
{
    for (unsigned i = 0; i < 5000; i++) {
        unsigned char c = (unsigned char)((size_t)base + i % 100);
        MUST(write(s, &c, 1) == 1);
    }
    return NULL;
}
static void *reads(void *unused)
{
    unsigned char data[64];
    for (ssize_t n; (n = read(t, data, sizeof data)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            __atomic_add_fetch(&count[data[i]], 1, __ATOMIC_RELAXED);
    return unused;
}
static void test(void)
{
    pthread_t w[2], r[2];
    int l = listening(80);
    s = connected(80), t = accept(l, NULL, NULL);
    for (size_t i = 0; i < 2; i++) {
        pthread_create(&w[i], NULL, writes, (void *)(i * 100));
        pthread_create(&r[i], NULL, reads, NULL);
    }
    pause_ms(10);
    MUST(!close(l));
    for (int i = 0; i < 2; i++)
        pthread_join(w[i], NULL);
    shutdown(s, SHUT_WR);
    for (int i = 0; i < 2; i++)
        pthread_join(r[i], NULL);
    for (int i = 0; i < 200; i++)
        MUST(count[i] == 50);
}"""
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [("0 10.0.0.1/24", "names channel 0"), ("zero", "NET is wrong"), ("0 10.0.0.1", "NET is wrong"), ("0 10.0.0.1/24,", "NET is wrong")],
)
def test_an_interface_that_cannot_be_is_said(process: Callable[..., Done], tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "main.c").write_text("#include <sys/socket.h>\nint main(void) { return socket(AF_INET, SOCK_DGRAM, 0) != 3; }\n")
    command = [paths.ROOT / "amalgam", "cc", "--net", tmp_path / "main.c", "-o", tmp_path / "program"]
    subprocess.run(command, check=True)
    done = process(tmp_path / "program", "program", "--", f"NET={text}", memory=1024, threads=2)
    assert done.returncode == 0
    assert said in done.stdout + done.stderr


def test_interfaces_are_read_as_they_are_documented(net: Callable[..., None]) -> None:
    net(
        r"""
#include <stdbool.h>
#include <stdint.h>
struct plan { uint32_t channel; bool port, core, dhcp; uint32_t address, mask, gateway, server; } p[4]; /* user/net/stack.h */
int net_plans(const char *text, struct plan *plans);
static uint32_t ip(unsigned a, unsigned b, unsigned c, unsigned d) { return htonl(a << 24 | b << 16 | c << 8 | d); }
static void test(void)
{
    MUST(net_plans(NULL, p) == 0);
    MUST(net_plans("3 10.0.0.5/24 via 10.0.0.1 dns 10.0.0.2", p) == 1 && p[0].channel == 3 && !p[0].dhcp);
    MUST(p[0].address == ip(10, 0, 0, 5) && p[0].mask == ip(255, 255, 255, 0) && p[0].gateway == ip(10, 0, 0, 1) && p[0].server == ip(10, 0, 0, 2));
    MUST(net_plans("0 dhcp", p) == 1 && p[0].dhcp && !p[0].address && !p[0].port && !p[0].core);
    MUST(net_plans("port 2 dhcp, 1 10.0.0.5/24 core via 10.0.0.1", p) == 2 && p[0].port && p[0].channel == 2 && p[1].core && !p[1].port);
    MUST(net_plans(" 0  dhcp ,1 192.168.1.2/32,  2 1.2.3.4/0", p) == 3 && p[1].mask == 0xffffffff && p[2].mask == 0 && p[2].channel == 2);
    static const char *const wrong_ones[] = { "", "0", "16 dhcp", "x dhcp", "0 10.0.0.1", "0 10.0.0.1/33", "0 10.0.0.1/-1", "0 10.0.0.256/8", "0 ten/8",
        "0 dhcp,", ",0 dhcp", "port dhcp", "port", "port x dhcp", "core 0 dhcp", "0 core 10.0.0.1/24", "0 dhcp 1 dhcp", "0 10.0.0.1/8 via", "0 10.0.0.1/8 to 10.0.0.2", "0 10.0.0.1/8 via 10.0.0", "0 1.2.3.4/8/8",
        "0 dhcp,1 dhcp,2 dhcp,3 dhcp,4 dhcp", "0 111111111111111111111111/8", "0 10.0.0.1/8888888888888888888" };
    for (unsigned i = 0; i < sizeof wrong_ones / sizeof *wrong_ones; i++)
        if (net_plans(wrong_ones[i], p) != -1)
            printf("'%s' is taken\n", wrong_ones[i]), wrong = 1;
}"""
    )


@pytest.mark.parametrize("machine", sorted(MACHINES))
def test_a_program_with_sockets_is_linked_for_each_machine(machine: str, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text('#include <netdb.h>\nint main(void) { struct addrinfo *a; return getaddrinfo("x", 0, 0, &a); }\n')
    command = [paths.ROOT / "amalgam", "cc", "--machine", machine, "--net", tmp_path / "main.c", "-o", tmp_path / "program"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Writes rubbish to all of the tunnel for some seconds: words of both ends, lengths, frames of which some are like right ones.
HOSTILE = r"""
#include <amalgam/tunnel.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    struct amalgam_tunnel t;
    if (amalgam_tunnel_open(0, &t))
        return 1;
    unsigned char *at = t.memory;
    unsigned *word = t.memory, slots = 64;
    unsigned long long end = amalgam_clock() + 2000000000;
    for (unsigned put = 0; amalgam_clock() < end;) {
        unsigned char *slot = at + 256 + (slots + put % slots) * 2048u;
        if (rand() % 8)
            for (unsigned i = 2; i < 1500; i++)
                slot[i] = (unsigned char)rand();
        memset(slot + 2, 0xff, 6);
        slot[14] = rand() % 2 ? 0x08 : 0x86, slot[15] = slot[14] == 8 ? rand() % 4 ? 0 : 6 : 0xdd;
        slot[16] = slot[14] == 8 ? 0x45 : 0x60;
        slot[0] = (unsigned char)rand(), slot[1] = (unsigned char)(rand() % 6);
        word[32] = rand() % 64 ? ++put : (unsigned)rand(); /* end 1's counters */
        word[33] = rand() % 4 ? word[0] : (unsigned)rand();
        if (rand() % 16 == 0)
            word[rand() % 64] = (unsigned)rand();
        if (rand() % 8 == 0)
            amalgam_tunnel_notify(0);
    }
    return 0;
}
"""


class Wire:
    """Two programs of user/net/programs, each with a stack of its own, and a tunnel between them (process_wire.h)."""

    def __init__(self, runner: Path, folder: Path) -> None:
        self.runner, self.file = runner, folder / "wire"
        with self.file.open("wb") as file:
            file.truncate(4096 + 260 * 1024)

    @contextlib.contextmanager
    def begin(self, end: int, name: str, *words: str) -> Iterator[subprocess.Popen[str]]:
        """Killed at the end, whatever became of it."""
        program = Path(name) if "/" in name else programs.make_program(f"net-{name}", lambda _text: None)
        command = [self.runner, f"@{self.file}:{end}", program, str(1 << 20), "5", "-", name, *words, "--", f"NET=0 10.0.0.{end + 1}/24"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as begun:
            try:
                yield begun
            finally:
                begun.kill()


@pytest.fixture
def wire(runner: Path, tmp_path: Path) -> Iterator[Wire]:
    """A server of port 7 at end 0."""
    made = Wire(runner, tmp_path)
    with made.begin(0, "echo") as server:
        assert server.stdout
        if server.stdout.readline() != "echo: serves\n":
            pytest.skip("this Linux has no syscall user dispatch")
        yield made
        assert server.poll() is None, "the server has ended"
        server.kill()


def checked(wire: Wire, rounds: int) -> None:
    with wire.begin(1, "talk", "check", "10.0.0.1", str(rounds)) as client:
        said, _none = client.communicate(timeout=60)
    assert (client.returncode, said.count(", right\n")) == (0, rounds), said


def test_two_stacks_talk_over_a_tunnel(wire: Wire) -> None:
    """Each round is 1 MiB by TCP and 500 datagrams, there and back."""
    checked(wire, 3)


def test_a_client_that_dies_at_any_moment_harms_nobody(wire: Wire) -> None:
    """Its next life talks at once, though the server still has connections of the one before."""
    for round_ in range(10):
        with wire.begin(1, "talk", "check", "10.0.0.1", "0") as client:
            time.sleep(0.01 + 0.02 * round_)
            client.kill()
        with wire.begin(1, "talk", "half", "10.0.0.1", "8") as client:
            said, _none = client.communicate(timeout=60)
        assert said == "talk: 8 connections are open\n"
    checked(wire, 1)


CALLS = {
    "connect": "connect(s, (struct sockaddr *)&nobody, sizeof nobody)",
    "recv": "recv(c, data, sizeof data, 0)",
    "send": "while (send(c, data, sizeof data, 0) > 0)",
    "recvfrom": "recvfrom(d, data, sizeof data, 0, NULL, NULL)",
    "accept": "accept(l, NULL, NULL)",
    "poll": "poll(&(struct pollfd){ c, POLLIN, 0 }, 1, -1)",
    "select": "select(c + 1, &set, NULL, NULL, NULL)",
    "close": "for (;;) close(connected())",
    "getaddrinfo": 'getaddrinfo("no.such.name", NULL, NULL, &found)',
}
DIES = r"""
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static struct sockaddr_in server = { .sin_family = AF_INET }, nobody = { .sin_family = AF_INET };
static void pause_ms(long ms) { nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL); }
static int connected(void)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);
    while (connect(s, (struct sockaddr *)&server, sizeof server))
        close(s), pause_ms(10), s = socket(AF_INET, SOCK_STREAM, 0);
    return s;
}
static void *ends(void *unused)
{
    pause_ms(30);
    _exit(7);
    return unused;
}
int main(int argc, char **argv)
{
    static char data[4096];
    struct addrinfo *found;
    pthread_t other;
    server.sin_port = nobody.sin_port = htons(7);
    inet_pton(AF_INET, "10.0.0.1", &server.sin_addr), inet_pton(AF_INET, "10.0.0.99", &nobody.sin_addr);
    int s = socket(AF_INET, SOCK_STREAM, 0), d = socket(AF_INET, SOCK_DGRAM, 0), l = socket(AF_INET, SOCK_STREAM, 0), c = connected();
    fd_set set;
    FD_ZERO(&set);
    FD_SET(c, &set);
    listen(l, 3);
    pthread_create(&other, NULL, ends, NULL);
    EACH
    for (;;)
        pause_ms(100); /* a call that came back early */
}
"""


def test_a_client_that_dies_in_each_call_harms_nobody(wire: Wire, tmp_path: Path) -> None:
    """Another thread of its ends the process while the call waits, or is at work."""
    source, program = tmp_path / "dies.c", tmp_path / "dies"
    each = "\n    ".join(f'if (!strcmp(argv[1], "{name}")) {{ {call}; }}' for name, call in CALLS.items())
    source.write_text(DIES.replace("EACH", each))
    subprocess.run([paths.ROOT / "amalgam", "cc", "--net", "-O1", source, "-o", program], check=True)
    for name in CALLS:
        with wire.begin(1, str(program), name) as client:
            assert client.wait(60) == 7, name
    checked(wire, 1)


def unread(pipe: IO[str]) -> str:
    """What was said so far, of which nothing was read. Does not wait."""
    os.set_blocking(pipe.fileno(), False)
    found = b""
    with contextlib.suppress(BlockingIOError):
        while data := os.read(pipe.fileno(), 65536):
            found += data
    os.set_blocking(pipe.fileno(), True)
    return found.decode()


def test_a_server_that_is_killed_at_any_moment_is_an_error_or_a_pause_for_its_clients(runner: Path, tmp_path: Path) -> None:
    """Its next life is there at once: a client goes on, or says what is wrong and ends."""
    wire, chance = Wire(runner, tmp_path), random.Random(34)
    for life in range(20):
        with wire.begin(0, "echo") as server:
            assert server.stdout
            if server.stdout.readline() != "echo: serves\n":
                assert not life, "the server has not begun again"
                pytest.skip("this Linux has no syscall user dispatch")
            with wire.begin(1, "talk", "check", "10.0.0.1", "0") as client:
                assert client.stdout
                time.sleep(chance.uniform(0.02, 0.4))
                server.kill()
                server.wait()
                before = unread(client.stdout)
                with wire.begin(0, "echo"):
                    lines = iter(client.stdout.readline, "")
                    assert "WRONG" in before or any("WRONG" in line or ", right" in line for line in lines), before
    with wire.begin(0, "echo"):
        checked(wire, 1)


def test_who_reads_nothing_is_the_servers_to_end(wire: Wire) -> None:
    with wire.begin(1, "talk", "slow", "10.0.0.1") as client:
        said, _none = client.communicate(timeout=60)
    assert said.startswith("talk: the server ended it: ")
    checked(wire, 1)


def test_a_neighbour_that_writes_rubbish_ends_nobody(wire: Wire, tmp_path: Path) -> None:
    """The server lives, and an honest client in its place is served."""
    (tmp_path / "hostile.c").write_text(HOSTILE)
    subprocess.run([paths.ROOT / "amalgam", "cc", "-O2", tmp_path / "hostile.c", "-o", tmp_path / "hostile"], check=True)
    with wire.begin(1, str(tmp_path / "hostile")) as hostile:
        assert hostile.wait(60) == 0
    checked(wire, 2)


def test_a_server_with_16_connections_fits_in_512_kib(net: Callable[..., None]) -> None:
    """Program, library, stack and 32 ends: both of each connection are here."""
    net(
        r"""
#define CONNECTIONS 16
static void test(void)
{
    static char data[1000];
    int l = listening(80), s[CONNECTIONS], c[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
        s[i] = connected(80);
        MUST((c[i] = accept(l, NULL, NULL)) >= 0);
    }
    for (int round = 0; round < 5; round++)
        for (int i = 0; i < CONNECTIONS; i++)
            MUST(write(s[i], data, sizeof data) == sizeof data);
    for (int i = 0; i < CONNECTIONS; i++)
        for (size_t n = 0; n < 5 * sizeof data; n += sizeof data)
            MUST(recv(c[i], data, sizeof data, MSG_WAITALL) == sizeof data && write(c[i], data, 7) == 7 && recv(s[i], data, 7, MSG_WAITALL) == 7);
}""",
        memory=512,
    )


def test_httpd_serves_the_pages_that_the_program_writes(net: Callable[..., None]) -> None:
    net(
        r"""
#include <amalgam/httpd.h>
static size_t page(const char *path, char *to)
{
    if (!strcmp(path, "/index.html"))
        return (size_t)sprintf(to, "<p>page %s</p>", path);
    if (strcmp(path, "/long.txt"))
        return 0;
    memset(to, 'x', AMALGAM_PAGE_MOST);
    return AMALGAM_PAGE_MOST;
}
static size_t get(const char *what, char *to, size_t most)
{
    int s = connected(80);
    size_t all = 0;
    MUST(write(s, what, strlen(what)) == (ssize_t)strlen(what));
    for (ssize_t n; (n = read(s, to + all, most - 1 - all)) > 0;)
        all += (size_t)n;
    to[all] = '\0';
    close(s);
    return all;
}
static void test(void)
{
    static char text[AMALGAM_PAGE_MOST + 1000];
    amalgam_httpd(page);
    for (int i = 0; i < 100; i++)
        MUST(get("GET / HTTP/1.0\r\n\r\n", text, sizeof text) && strstr(text, "200 OK") && strstr(text, "text/html") && strstr(text, "<p>page /index.html</p>"));
    MUST(get("GET /long.txt HTTP/1.0\r\n\r\n", text, sizeof text) > AMALGAM_PAGE_MOST && strstr(text, "text/plain") && strstr(text, "\r\n\r\nxxx"));
    MUST(get("GET /none HTTP/1.0\r\n\r\n", text, sizeof text) && strstr(text, "404"));
    get("NONSENSE\r\n\r\n", text, sizeof text);
    MUST(get("GET / HTTP/1.0\r\n\r\n", text, sizeof text) && strstr(text, "200 OK"));
}"""
    )
