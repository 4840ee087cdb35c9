/* SPDX-License-Identifier: MIT */
/*
 * liar.c - a driver of a virtio card that lies in each request: arguments [liar, STEPS]. It asks for the gateway's
 * address, which a card that is as new answers; then it makes STEPS requests with random places, lengths, directions
 * and queues, as memory of others, without a head, of many pieces; and ends by a bad pointer while the card has them.
 */
#include <stdlib.h>

#include "../../user/drivers/virtio-net.h"

#define PROGRAM "liar"
#include "../../user/programs/arp.h"
#include "../../user/programs/must.h"

#define LATEST 60000000000ull

static struct card card;

static uint32_t random_word(void)
{
    static uint64_t state;
    if (!state)
        state = amalgam_clock();
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* A request for the gateway's address; none where all places are being sent. */
static void ask(void)
{
    uint8_t frame[ARP_QUESTION];
    arp_ask(frame, card.address, (uint8_t[]){ 10, 0, 2, 15 }, (uint8_t[]){ 10, 0, 2, 2 });
    card_send(&card, frame, sizeof(frame));
}

static void await_answer(void)
{
    uint8_t frame[CARD_FRAME];
    uint64_t latest = amalgam_clock() + LATEST;
    do {
        MUST(amalgam_clock() < latest);
        ask();
        card_wait(&card, amalgam_clock() + 100000000);
    } while (!card_take(&card, frame));
}

/* Each way to name memory of others. */
static void each_way(void)
{
    static const uint32_t wishes[][2] = { { CARD_MEMORY, 1 },
                                          { CARD_MEMORY - 1, 2 },
                                          { 0, CARD_MEMORY + 1 },
                                          { 0x80200000, 4096 },
                                          { ~0u, 1 },
                                          { 1, ~0u },
                                          { 0u - 4096, 8192 },
                                          { 0, 0 } };
    for (unsigned how = 0; how < 16; how++)
        for (unsigned i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
            MUST(amalgam_dma_submit(card.device, how, wishes[i][0], wishes[i][1]) ==
                 (how & 2 ? -AMALGAM_EACCES : -AMALGAM_EINVAL));
    for (unsigned at = 0; at < 256; at++)
        for (unsigned width = 1; width <= 4; width *= 2)
            MUST(amalgam_device_write(card.device, at, width, 0x80200000) == -AMALGAM_EACCES);
    MUST(amalgam_dma_submit(card.device, 16, 0, 1) == -AMALGAM_ERANGE);
    MUST(amalgam_dma_done(card.device, 4) == -AMALGAM_ERANGE);
    MUST(amalgam_dma_done(card.device, 2) == -AMALGAM_EACCES);
    MUST(amalgam_dma_submit(card.device + 1, 0, 0, 1) == -AMALGAM_EBADF);
}

/* A request that is read first and then written, or the other way round: an emulator ends by the frame that comes to
 * it. So the card has no other place when it gets these, and then answers. */
static void both_ways(void)
{
    uint64_t latest = amalgam_clock() + LATEST;
    for (unsigned taken = 0; taken < CARD_PLACES;) {
        MUST(amalgam_clock() < latest);
        ask();
        card_wait(&card, amalgam_clock() + 100000000);
        while (card_done(&card, CARD_COMES) >= 0)
            taken++;
    }
    for (unsigned queue = CARD_COMES; queue <= CARD_GOES; queue++)
        for (unsigned how = 0; how <= AMALGAM_DMA_WRITES; how += AMALGAM_DMA_WRITES) {
            MUST(amalgam_dma_submit(card.device, queue | how | AMALGAM_DMA_MORE, 0, CARD_HEAD) >= 0);
            MUST(amalgam_dma_submit(card.device, queue | (how ^ AMALGAM_DMA_WRITES), 0, 1) == -AMALGAM_EINVAL);
        }
    for (unsigned i = 0; i < CARD_PLACES; i++)
        MUST(card_offer(&card, i) >= 0);
    await_answer();
}

static void lie(void)
{
    uint32_t dice = random_word();
    uint32_t offset = dice & 1 ? random_word() : random_word() % CARD_MEMORY;
    uint32_t n = dice & 2 ? random_word() : random_word() % 3000;
    amalgam_dma_submit(card.device, dice >> 8 & 15, offset, dice & 4 ? n : n % 64);
    amalgam_dma_done(card.device, dice >> 12 & 1);
}

int main(int argc, char **argv)
{
    unsigned steps = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    RESULT(card_open(&card, 0));
    await_answer();
    puts("liar: answered");
    each_way();
    both_ways();
    for (unsigned i = 0; i < steps; i++)
        lie();
    printf("liar: %u lies\n", steps);
    fflush(stdout);
    *(volatile int *)0 = 0;
}
