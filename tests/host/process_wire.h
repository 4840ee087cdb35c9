/* SPDX-License-Identifier: MIT */
/*
 * process_wire.h - one tunnel between two programs that process_runner.c runs: a file of which a page has the bells of
 * both ends, and what is behind it is the tunnel's memory. Both ends run, whatever they do; nobody withdraws it.
 */
#ifndef PROCESS_WIRE_H
#define PROCESS_WIRE_H

#define TUNNELS 0xffff000000ull /* where tunnel 0 is in a process */

static struct {
    uint32_t *bell; /* of end 0 and of end 1; NULL: there is no tunnel */
    uint64_t size;
    unsigned end;
} wire;

/* `text` is FILE:END. */
static void wire_open(char *text)
{
    size_t n = length(text);
    if (n < 3 || text[n - 2] != ':')
        fail("process_runner: @FILE:END", 2);
    wire.end = text[n - 1] & 1;
    text[n - 2] = '\0';
    long fd = LINUX(open, text, 2 /* O_RDWR */, 0, 0, 0, 0), size = LINUX(lseek, fd, 0, 2 /* SEEK_END */, 0, 0, 0);
    if (fd < 0 || size <= (long)PAGE)
        fail("process_runner: the tunnel's file is none", 2);
    wire.size = (uint64_t)size - PAGE;
    wire.bell = (uint32_t *)LINUX(mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    LINUX(mmap, TUNNELS, wire.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, PAGE);
}

static int64_t wire_notify(void)
{
    uint32_t *peers = &wire.bell[!wire.end];
    __atomic_store_n(peers, 1, __ATOMIC_SEQ_CST);
    LINUX(futex, peers, FUTEX_WAKE, 1, 0, 0, 0);
    return 0;
}

static int64_t wire_wait(struct signals *s, uint64_t deadline)
{
    uint64_t time[2] = { deadline / 1000000000ull, deadline % 1000000000ull };
    uint32_t *own = &wire.bell[wire.end];
    const uint64_t a[6] = {
        (uint64_t)own, FUTEX_WAIT_BITSET, 0, deadline == AMALGAM_NEVER ? 0 : (uint64_t)time, 0, ~0u
    };
    while (!__atomic_exchange_n(own, 0, __ATOMIC_SEQ_CST)) {
        long r = block(s, SYS_futex, a);
        if (r == -AMALGAM_ETIMEDOUT || r == -AMALGAM_EINTR)
            return r;
    }
    return 0;
}

/* The tunnel's calls, by number; `a` are their arguments. */
static int64_t wire_call(uint64_t n, const uint64_t a[4], struct signals *s)
{
    if (a[0] > 15)
        return -AMALGAM_ERANGE;
    if (a[0] || !wire.bell)
        return -AMALGAM_ENOENT;
    const int64_t fields[] = { (int64_t)TUNNELS, (int64_t)wire.size, 0, 3, !wire.end, 1, 1 };
    if (n == AMALGAM_TUNNEL_INFO)
        return a[1] < sizeof fields / sizeof *fields ? fields[a[1]] : -AMALGAM_ERANGE;
    if (n != AMALGAM_TUNNEL_WAIT)
        wire_notify();
    return n == AMALGAM_TUNNEL_NOTIFY ? 0 : wire_wait(s, a[1]);
}

#endif
