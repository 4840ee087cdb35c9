/* SPDX-License-Identifier: MIT */
/*
 * gateway.c - pings the gateway of an emulator's network, 10.0.2.2, by a card of its own: arguments [gateway, ROUNDS,
 * PAUSE_MS, HOW]; 0 rounds: for ever. HOW: `fault`: its end is a bad pointer, while an answer is on its way; `tunnel`:
 * the card is another process's (user/drivers/ethernet.h), at the other end of its first tunnel. It speaks ARP (RFC
 * 826) and ICMP echo (RFC 792) only.
 */
#include <amalgam/tunnel.h>
#include <stdlib.h>

#include "../drivers/card.h"
#include "../net/frames.h"

#define PROGRAM "gateway"
#include "must.h"

#define SECOND 1000000000ull
#define DATA   56u /* bytes of a ping */

#define ETHER_ARP 0x0806
#define ETHER_IP  0x0800

enum { OF_TYPE = 12, OF_BODY = 14, ARP_OP = 20, ARP_SENDER = 22, ARP_SENDER_IP = 28, ARP_TARGET_IP = 38, ARP_END = 42 };
enum { IP_SUM = 24, IP_FROM = 26, IP_TO = 30, ICMP = 34, ICMP_SUM = 36, ICMP_NUMBER = 40, ICMP_DATA = 42 };

static const uint8_t ours[4] = { 10, 0, 2, 15 }, gateways[4] = { 10, 0, 2, 2 };
static struct card card; /* its address also where another process has it */
static struct frames frames;
static struct amalgam_tunnel tunnel;
static uint8_t gateway[6], in[CARD_FRAME];

/* --- the card, here or there -------------------------------------------------------------------------------------- */

static bool send(const uint8_t *frame, size_t n)
{
    if (!tunnel.memory)
        return card_send(&card, frame, n);
    uint8_t *to = frames_room(&frames);
    if (!to)
        return false;
    memcpy(to, frame, n);
    frames_put(&frames, n);
    if (frames_bell(&frames))
        amalgam_tunnel_notify(tunnel.index);
    return true;
}

static size_t receive(void)
{
    size_t n = 0;
    if (!tunnel.memory)
        return card_receive(&card, in);
    const uint8_t *frame = frames_look(&frames, &n);
    if (!frame || n > sizeof(in))
        return 0;
    memcpy(in, frame, n);
    frames_taken(&frames);
    return n;
}

/* Wait until there may be more. */
static int64_t rest(uint64_t deadline)
{
    if (!tunnel.memory)
        return card_wait(&card, deadline);
    int64_t err = frames_sleep(&frames) ? amalgam_tunnel_wait(tunnel.index, deadline) : 0;
    frames_awake(&frames);
    return err;
}

static void begin(bool here)
{
    bool link;
    if (here) {
        RESULT(card_open(&card, 0));
        return;
    }
    RESULT(amalgam_tunnel_open(0, &tunnel));
    uint32_t peer = (uint32_t)RESULT(amalgam_tunnel_info(0, AMALGAM_TUNNEL_INFO_PEER));
    MUST(frames_begin(&frames, tunnel.memory, tunnel.size,
                      frames_end((uint32_t)amalgam_info(AMALGAM_INFO_DOMAIN), peer)));
    while (!frames_card(&frames, card.address, &link))
        rest(amalgam_clock() + SECOND / 100);
}

/* --- protocols --------------------------------------------------------------------------------------------------- */

static void put16(uint8_t *at, unsigned v)
{
    at[0] = (uint8_t)(v >> 8);
    at[1] = (uint8_t)v;
}

static unsigned get16(const uint8_t *at) { return (unsigned)(at[0] << 8 | at[1]); }

/* The Internet checksum (RFC 1071). */
static unsigned sum(const uint8_t *at, unsigned n)
{
    unsigned total = 0;
    for (unsigned i = 0; i < n; i += 2)
        total += get16(at + i);
    total = (total & 0xffff) + (total >> 16);
    return ~(total + (total >> 16)) & 0xffff;
}

static void head(uint8_t *frame, const uint8_t *to, unsigned type)
{
    memcpy(frame, to, 6);
    memcpy(frame + 6, card.address, 6);
    put16(frame + OF_TYPE, type);
}

static void send_arp(const uint8_t *to, unsigned op, const uint8_t *target_ip)
{
    static const uint8_t kind[] = { 0, 1, 8, 0, 6, 4 };
    uint8_t frame[ARP_END] = { 0 };
    head(frame, to, ETHER_ARP);
    memcpy(frame + OF_BODY, kind, sizeof(kind));
    put16(frame + ARP_OP, op);
    memcpy(frame + ARP_SENDER, card.address, 6);
    memcpy(frame + ARP_SENDER_IP, ours, 4);
    memcpy(frame + ARP_TARGET_IP, target_ip, 4);
    send(frame, sizeof(frame)); /* else it is lost, and asked again */
}

static void send_ping(unsigned number)
{
    uint8_t frame[ICMP_DATA + DATA] = { 0 };
    head(frame, gateway, ETHER_IP);
    frame[OF_BODY] = 0x45;
    put16(frame + OF_BODY + 2, sizeof(frame) - OF_BODY);
    frame[OF_BODY + 8] = 64;
    frame[OF_BODY + 9] = 1;
    memcpy(frame + IP_FROM, ours, 4);
    memcpy(frame + IP_TO, gateways, 4);
    put16(frame + IP_SUM, sum(frame + OF_BODY, 20));
    frame[ICMP] = 8;
    put16(frame + ICMP_NUMBER, number);
    for (unsigned i = 0; i < DATA; i++)
        frame[ICMP_DATA + i] = (uint8_t)(number + i);
    put16(frame + ICMP_SUM, sum(frame + ICMP, 8 + DATA));
    while (!send(frame, sizeof(frame)))
        rest(amalgam_clock() + SECOND / 100);
}

/* Returns whether the frame of `n` bytes answers ping `number`; answers who asks for our address. */
static bool take(size_t n, unsigned number)
{
    if (n >= ARP_END && get16(in + OF_TYPE) == ETHER_ARP) {
        if (get16(in + ARP_OP) == 1 && !memcmp(in + ARP_TARGET_IP, ours, 4))
            send_arp(in + 6, 2, in + ARP_SENDER_IP);
        else if (get16(in + ARP_OP) == 2 && !memcmp(in + ARP_SENDER_IP, gateways, 4))
            memcpy(gateway, in + ARP_SENDER, 6);
        return false;
    }
    if (n < ICMP_DATA + DATA || get16(in + OF_TYPE) != ETHER_IP || in[OF_BODY + 9] != 1 || in[ICMP] ||
        get16(in + ICMP_NUMBER) != (number & 0xffff) || sum(in + ICMP, 8 + DATA))
        return false;
    for (unsigned i = 0; i < DATA; i++)
        MUST(in[ICMP_DATA + i] == (uint8_t)(number + i));
    return true;
}

/* Returns whether the answer to ping `number`, or with number 0 the gateway's address, came within a second; a ping's
 * by a card of our own, which loses none, within ten: the emulator may be kept from its work for a while. */
static bool await(unsigned number)
{
    uint64_t latest = amalgam_clock() + (number && !tunnel.memory ? 10 : 1) * SECOND;
    for (;;) {
        for (size_t n; (n = receive());)
            if (take(n, number))
                return true;
        if (!number && gateway[0])
            return true;
        if (rest(latest) == -AMALGAM_ETIMEDOUT)
            return false;
    }
}

int main(int argc, char **argv)
{
    static const uint8_t all[6] = { 255, 255, 255, 255, 255, 255 };
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10, pause = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    unsigned answered = 0;
    begin(argc < 4 || !strcmp(argv[3], "fault"));
    do
        send_arp(all, 1, gateways);
    while (!await(0));
    printf("gateway: 10.0.2.2 is at %02x:%02x:%02x:%02x:%02x:%02x\n", gateway[0], gateway[1], gateway[2], gateway[3],
           gateway[4], gateway[5]);
    for (unsigned i = 1; !rounds || i <= rounds; i++) {
        send_ping(i);
        answered += await(i);
        if (i == rounds || (!rounds && i % 16 == 0))
            printf("gateway: %u of %u pings answered, %u rings lost\n", answered, i, card.lost);
        if (pause)
            amalgam_sleep_until(amalgam_clock() + pause * (SECOND / 1000));
    }
    if (argc > 3 && !tunnel.memory) {
        send_ping(rounds + 1);
        *(volatile int *)0 = 0;
    }
    return answered != rounds;
}
