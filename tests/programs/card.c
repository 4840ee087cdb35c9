/* SPDX-License-Identifier: MIT */
/*
 * card.c - a driver that wants its card to read and write memory of others: arguments [card, STEPS]. It tries each way
 * that the card has, then makes STEPS accesses of its registers with random values, in between pings of the card's own
 * network, so that there are frames to be written. It ends by driving the card as it should.
 */
#include <stdlib.h>

#include "../../user/drivers/rtl8139.h"

#define PROGRAM "card"
#include "../../user/programs/arp.h"
#include "../../user/programs/must.h"

#define ALL     256u
#define CPCMD   0xe0
#define RX_RING 0xe4 /* of C+ mode */

static struct card card;

static int64_t put(unsigned at, unsigned width, uint32_t value) { return card_write(&card, at, width, value); }

/* Addresses that a driver might wish for: the kernel's image, its own memory by a guess, what wraps to them. */
static void each_address(unsigned at, uint32_t last)
{
    static const uint32_t wishes[] = { 0x100000, 0x1000000, 0xfffffffc, 0x80000000, 0xfffff000, 0x7ffffffc };
    for (unsigned i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
        MUST(put(at, 4, wishes[i]) == -AMALGAM_EINVAL);
    MUST(put(at, 4, last) == 0);
    MUST(put(at, 4, last + 4) == -AMALGAM_EINVAL);
    MUST(put(at, 4, last + 1) == -AMALGAM_EINVAL);
    MUST(put(at, 4, 0) == 0);
    MUST(card_read(&card, at, 4) == -AMALGAM_EACCES);
}

static void each_way(void)
{
    uint32_t size = (uint32_t)amalgam_device_info(card.device, AMALGAM_DEVICE_INFO_SIZE);
    each_address(CARD_RBSTART, (size - CARD_RING - 16) & ~3u);
    for (unsigned i = 0; i < CARD_SENDS; i++) {
        each_address(CARD_TSAD0 + 4 * i, size - 1792);
        MUST(put(CARD_TSD0 + 4 * i, 4, 1793) == -AMALGAM_EINVAL);
        MUST(put(CARD_TSD0 + 4 * i, 4, 0x1fff) == -AMALGAM_EINVAL);
    }
    for (uint32_t length = 0; length < 3; length++) /* rings that WRAP writes past the end of */
        MUST(put(CARD_RCR, 4, (CARD_RECEIVES & ~0x1800u) | length << 11 | 0x80) == -AMALGAM_EINVAL);
    for (unsigned at = CPCMD; at < ALL; at++)
        for (unsigned width = 1; width <= 4; width *= 2) {
            MUST(put(at, width, 3) == -AMALGAM_EACCES);
            MUST(card_read(&card, at, width) == -AMALGAM_EACCES);
        }
    MUST(put(CARD_CR, 1, CARD_RESET | CARD_ENABLED) == -AMALGAM_EINVAL);
    MUST(put(CARD_TCR, 4, 1) == -AMALGAM_EINVAL);
    MUST(amalgam_device_write(card.device + 1, CARD_CR, 1, 0) == -AMALGAM_EBADF);
    MUST(amalgam_device_write(AMALGAM_HANDLES, CARD_CR, 1, 0) == -AMALGAM_ERANGE);
    MUST(amalgam_device_read(card.device, ALL, 1) == -AMALGAM_ERANGE);
    MUST(amalgam_device_read(card.device, CARD_CR, 3) == -AMALGAM_EACCES);
    MUST(amalgam_device_read(card.device, CARD_CR, 0) == -AMALGAM_EACCES);
    MUST(amalgam_irq_wait(card.device + 1, 0) == -AMALGAM_EBADF);
    MUST(amalgam_irq_done(card.device + 1) == -AMALGAM_EBADF);
    MUST(amalgam_irq_wait(card.device, amalgam_clock() + 1000) == -AMALGAM_ETIMEDOUT);
}

static uint32_t random_word(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* A request for the gateway's address: its answer is a frame that the card writes somewhere. */
static void provoke(void)
{
    uint8_t frame[ARP_QUESTION];
    arp_ask(frame, card.address, (uint8_t[]){ 10, 0, 2, 15 }, (uint8_t[]){ 10, 0, 2, 2 });
    card_send(&card, frame, sizeof(frame));
}

static void random_access(void)
{
    static const uint8_t often[] = { 0x10, 0x14, 0x20, 0x24, 0x30, 0x37, 0x37, 0x38, 0x3c, 0x44, 0x44, 0x40 };
    uint32_t dice = random_word();
    unsigned at = dice & 1 ? often[dice / 2 % sizeof(often)] : random_word() % ALL;
    uint32_t value = random_word() >> (random_word() & 31);
    put(at, 1u << (dice >> 8) % 3, dice >> 16 & 1 ? value : dice >> 17 & 1 ? CARD_RECEIVES : CARD_ENABLED);
    card_read(&card, random_word() % ALL, 1u << random_word() % 3);
}

int main(int argc, char **argv)
{
    unsigned steps = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, frames = 0;
    uint8_t frame[CARD_FRAME];
    RESULT(card_open(&card, 0));
    put(CARD_IMR, 2, 0);
    each_way();
    for (unsigned i = 0; i < steps; i++) {
        random_access();
        if (i % 64 == 0)
            provoke();
    }
    RESULT(card_begin(&card));
    for (uint64_t latest = amalgam_clock() + 10 * 1000000000ull; !frames && amalgam_clock() < latest;) {
        provoke();
        card_wait(&card, amalgam_clock() + 100000000);
        while (card_receive(&card, frame))
            frames++;
    }
    MUST(frames);
    printf("card: right, %u steps\n", steps);
    return 0;
}
