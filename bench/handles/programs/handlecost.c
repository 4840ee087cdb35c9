/* SPDX-License-Identifier: MIT */
/*
 * handlecost.c - what handles cost, for bench/handles, in ticks of the time stamp counter, which under icount are
 * instructions. Prints lines `bench NAME MINIMUM MEDIAN SAMPLES`. Two processes of one priority on one core, with a
 * channel: `handlecost owner` shares, sends and withdraws, `handlecost holder` receives, maps and closes.
 */
#include <amalgam/handle.h>
#include <amalgam/tunnel.h>
#include <string.h>

#define PROGRAM "handlecost"
#include "../../../user/programs/must.h"
#include "../../include/ticks.h"

#define WARM    8
#define SAMPLES 1000
#define QUEUED  8 /* handles that a channel takes */

static _Alignas(4096) char page[4096];
static uint64_t sample[SAMPLES], overhead;

/* In the channel's memory: what the holder is to do when the bell rings. */
struct order {
    uint32_t receive, map; /* how many handles; the first one is mapped */
    uint32_t close;        /* all are closed */
    uint32_t report;       /* it says what receiving has cost it */
    uint64_t low, median;
};
static volatile struct order *order;

static void sort(void) { qsort(sample, SAMPLES, sizeof(*sample), by_size); }

static void report(const char *name)
{
    sort();
    printf("bench %s %lu %lu %u\n", name, sample[0] - overhead, sample[SAMPLES / 2] - overhead, SAMPLES);
}

static void note(int i, uint64_t t0, uint64_t t1)
{
    if (i >= 0)
        sample[i] = t1 - t0;
}

static void calibrate(void)
{
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t t0 = ticks();
        sample[i] = ticks() - t0;
    }
    sort();
    overhead = sample[SAMPLES / 2];
}

static void ask(uint32_t receive, uint32_t map, uint32_t close)
{
    order->receive = receive;
    order->map = map;
    order->close = close;
    RESULT(amalgam_tunnel_call(0, AMALGAM_NEVER));
}

static unsigned share(void) { return (unsigned)RESULT(amalgam_handle_memory(page, sizeof(page), 1)); }

static void send(unsigned handle)
{
    int64_t err;
    while ((err = amalgam_handle_send(0, handle, AMALGAM_HANDLE_READ)) == -AMALGAM_EPIPE)
        amalgam_yield();
    RESULT(err);
}

/* Withdraw what `holders` handles of the other process name, of which one shows it or none. */
static void withdraw(const char *name, unsigned holders, unsigned map)
{
    for (int i = -WARM; i < SAMPLES; i++) {
        unsigned handle = share();
        for (unsigned left = holders; left;) {
            unsigned n = left < QUEUED ? left : QUEUED;
            for (unsigned k = 0; k < n; k++)
                send(handle);
            ask(n, map && left == holders, 0);
            left -= n;
        }
        uint64_t t0 = ticks();
        int64_t err = amalgam_handle_close(handle);
        note(i, t0, ticks());
        RESULT(err);
        ask(0, 0, 1);
    }
    report(name);
}

static void owner(void)
{
    unsigned handle = share();
    send(handle);
    ask(1, 0, 1);
    for (int i = -WARM; i < SAMPLES; i++) {
        uint64_t t0 = ticks();
        int64_t err = amalgam_handle_send(0, handle, AMALGAM_HANDLE_READ);
        note(i, t0, ticks());
        RESULT(err);
        ask(1, 0, 1);
    }
    report("send");
    order->report = 1;
    ask(0, 0, 0);
    printf("bench receive %lu %lu %u\n", order->low, order->median, SAMPLES);
    RESULT(amalgam_handle_close(handle));
    withdraw("withdraw-1", 1, 0);
    withdraw("withdraw-16", 16, 0);
    withdraw("withdraw-page", 1, 1);
    for (int i = -WARM; i < SAMPLES; i++) {
        uint64_t t0 = ticks();
        int64_t info = amalgam_handle_info(0, AMALGAM_HANDLE_INFO_KIND);
        note(i, t0, ticks());
        RESULT(info);
    }
    report("info");
    puts("handlecost: done");
}

static void holder(void)
{
    unsigned held[32], n = 0;
    int i = -WARM - 1; /* the first one is received before the owner measures */
    for (;;) {
        RESULT(amalgam_tunnel_wait(0, AMALGAM_NEVER));
        for (uint32_t k = order->receive; k; k--) {
            uint64_t t0 = ticks();
            int64_t got = amalgam_handle_receive(0);
            if (i < SAMPLES)
                note(i++, t0, ticks());
            held[n++] = (unsigned)RESULT(got);
        }
        if (order->map)
            MUST(*(volatile char *)(uintptr_t)RESULT(amalgam_handle_map(held[0])) == 0);
        while (order->close && n)
            RESULT(amalgam_handle_close(held[--n]));
        if (order->report) {
            sort();
            order->low = sample[0] - overhead;
            order->median = sample[SAMPLES / 2] - overhead;
            order->report = 0;
        }
        RESULT(amalgam_tunnel_notify(0));
    }
}

int main(int argc, char **argv)
{
    struct amalgam_tunnel t;
    MUST(argc > 1 && !amalgam_tunnel_open(0, &t));
    order = t.memory;
    calibrate();
    if (!strcmp(argv[1], "owner"))
        owner();
    else
        holder();
    return 0;
}
