/* SPDX-License-Identifier: MIT */
/*
 * pour.c - a flood: asks 10.0.0.1, at the other end of a card's wire, for its address by ARP (RFC 826) at each of many
 * times, whether it answers or not. Arguments [pour, N, MICROSECONDS between two]. Each question is a broadcast of 60
 * bytes. Prints `bench answered`, how many of them were, and `bench unsent`, for how many the card had no place.
 *
 * The card interrupts nobody: answers are counted when the next question is sent.
 */
#include <stdlib.h>

#include "../../../user/drivers/rtl8139.h"

#define PROGRAM "pour"
#include "../../../user/programs/arp.h"
#include "../../../user/programs/must.h"

#define BEGINS 20000000ull /* ns until the others are ready */

#define ARP_END 42 /* bytes of a message, with the header of Ethernet */

static struct card card;
static uint8_t in[CARD_FRAME];

static unsigned answers(void)
{
    unsigned n = 0;
    for (size_t length; (length = card_receive(&card, in));)
        n += length >= ARP_END && in[12] == 8 && in[13] == 6 && in[21] == 2;
    return n;
}

int main(int argc, char **argv)
{
    uint8_t question[ARP_QUESTION];
    unsigned answered = 0, unsent = 0, n = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
    if (!n) {
        puts("pour: arguments: pour N MICROSECONDS");
        return 2;
    }
    uint64_t period = 1000 * strtoull(argv[2], NULL, 10);
    RESULT(card_open(&card, 0));
    MUST(card_write(&card, CARD_IMR, 2, 0) == 0);
    arp_ask(question, card.address, (uint8_t[]){ 10, 0, 0, 3 }, (uint8_t[]){ 10, 0, 0, 1 });
    uint64_t next = amalgam_clock() + BEGINS;
    for (unsigned i = 0; i < n; i++, next += period) {
        amalgam_sleep_until(next);
        answered += answers();
        unsent += !card_send(&card, question, sizeof(question));
    }
    amalgam_sleep_until(next);
    printf("bench answered %u\nbench unsent %u\npour: done\n", answered + answers(), unsent);
    return 0;
}
