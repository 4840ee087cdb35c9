/* SPDX-License-Identifier: MIT */
/*
 * rubbish.c - a neighbour of a network stack, at tunnel 0: "rubbish N" puts N frames that are wrong somewhere. Some
 * have a right header for Ethernet, some also for IP, some the right checksum of TCP or UDP, too; some are as long as
 * no frame is, and some counters of the ring go where no frame is. The stack has 10.0.3.1 there.
 */
#include <amalgam/tunnel.h>
#include <stdint.h>
#include <string.h>

#include "../../user/net/frames.h"

#define PROGRAM "rubbish"
#include "../../user/programs/must.h"

#define LONGEST 1514
#define MS      1000000ull

static struct amalgam_tunnel tunnel;
static struct frames frames;
static uint8_t stack[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }; /* its address, once it has said something */
static uint64_t dice = 0x2545f4914f6cdd1d;

static unsigned draw(unsigned n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (unsigned)(dice >> 33) % n;
}

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static uint32_t sum(const uint8_t *at, size_t n, uint32_t to)
{
    for (size_t i = 0; i < n; i++)
        to += i % 2 ? at[i] : (uint32_t)at[i] << 8;
    return to;
}

static unsigned checksum(uint32_t of)
{
    while (of >> 16)
        of = (of & 0xffff) + (of >> 16);
    return ~of & 0xffff;
}

/* A header of IP that is right but for what is drawn, and port 7 behind it. */
static void make_ip(uint8_t *ip, size_t n)
{
    static const uint8_t protocols[] = { 1, 2, 6, 17 };
    static const uint8_t ends[] = { 10, 0, 3, 2, 10, 0, 3, 1 };
    uint8_t protocol = protocols[draw(4)], *data = ip + 20;
    size_t rest = n - 20;
    ip[0] = draw(8) ? 0x45 : (uint8_t)draw(256);
    put16(ip + 2, draw(8) ? (unsigned)n : draw(65536));
    put16(ip + 6, draw(4) ? 0 : draw(65536)); /* fragments */
    ip[9] = protocol;
    memcpy(ip + 12, ends, sizeof ends);
    put16(ip + 10, 0);
    put16(ip + 10, checksum(sum(ip, 20, 0)));
    put16(data + 2, 7);
    if (protocol < 6 || draw(2))
        return;
    uint8_t *field = data + (protocol == 6 ? 16 : 6);
    if (protocol == 6)
        data[12] = 0x50;
    else
        put16(data + 4, (unsigned)rest);
    put16(field, 0);
    put16(field, checksum(sum(data, rest, sum(ends, sizeof ends, protocol + (uint32_t)rest))));
}

static size_t make(uint8_t *frame)
{
    static const unsigned types[] = { 0x0800, 0x0806, 0x86dd, 0x8100 };
    size_t n = 60 + (draw(2) ? draw(64) : draw(LONGEST - 60));
    unsigned right = draw(8);
    for (size_t i = 0; i < n; i++)
        frame[i] = (uint8_t)draw(256);
    if (!right)
        return n;
    memcpy(frame, stack, 6);
    put16(frame + 12, right > 3 ? 0x0800 : types[draw(4)]);
    if (right > 3)
        make_ip(frame + 14, n - 14);
    return n;
}

/* Answer nothing, but keep the ring of what the stack says empty. */
static void listen(void)
{
    size_t n;
    const uint8_t *frame;
    while ((frame = frames_look(&frames, &n))) {
        if (n >= 12)
            memcpy(stack, frame + 6, 6);
        frames_taken(&frames);
    }
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    uint32_t own = (uint32_t)RESULT(amalgam_info(AMALGAM_INFO_DOMAIN));
    uint32_t peer = (uint32_t)RESULT(amalgam_tunnel_info(0, AMALGAM_TUNNEL_INFO_PEER));
    RESULT(amalgam_tunnel_open(0, &tunnel));
    MUST(frames_begin(&frames, tunnel.memory, tunnel.size, frames_end(own, peer)));
    for (unsigned i = 0; i < n;) {
        uint8_t *frame = frames_room(&frames);
        listen();
        if (frame) {
            frames_put(&frames, make(frame));
            if (!draw(64)) /* as long as no frame is */
                frames.out[(frames.put - 1) & (frames.slots - 1)].length = (uint16_t)draw(65536);
            if (!draw(256)) /* a counter that cannot be right, until the next frame */
                __atomic_store_n(&frames.own->put, frames.put + draw(1u << 30), __ATOMIC_RELEASE);
            i++;
        }
        if (frames_bell(&frames))
            amalgam_tunnel_notify(tunnel.index);
        if (!frame)
            amalgam_sleep_until(amalgam_clock() + MS);
    }
    printf("rubbish: %u frames\n", n);
    return 0;
}
