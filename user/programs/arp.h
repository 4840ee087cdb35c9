/* SPDX-License-Identifier: MIT */
/* arp.h - for programs that drive a network card: who has an address of IPv4? A question to all by ARP (RFC 826), in a
 * frame of the least length. */
#ifndef AMALGAM_PROGRAMS_ARP_H
#define AMALGAM_PROGRAMS_ARP_H

#include <stdint.h>
#include <string.h>

#define ARP_QUESTION 60u /* bytes */

/* From the card with that address of Ethernet, which has the address `ours`. */
static inline void arp_ask(uint8_t frame[ARP_QUESTION], const uint8_t card[6], const uint8_t ours[4],
                           const uint8_t theirs[4])
{
    static const uint8_t body[] = { 8, 6, 0, 1, 8, 0, 6, 4, 0, 1 }; /* ARP: Ethernet, IPv4, their lengths, a question */
    memset(frame, 0, ARP_QUESTION);
    memset(frame, 0xff, 6);
    memcpy(frame + 6, card, 6);
    memcpy(frame + 12, body, sizeof(body));
    memcpy(frame + 22, card, 6);
    memcpy(frame + 28, ours, 4);
    memcpy(frame + 38, theirs, 4);
}

#endif
