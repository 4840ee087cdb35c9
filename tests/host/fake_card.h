/* SPDX-License-Identifier: MIT */
/*
 * fake_card.h - an RTL8139 of which nothing is there but its registers and what it may access in memory.
 *
 * After each write all that the card could do from then on, with any frames from outside, has to lie in the pinned
 * memory: card_strays() says what does not. The card is the worst one that the data sheet permits: its reset takes as
 * long as a test likes; meanwhile it forgets what it is told; then all that it was told before is 0.
 */
#ifndef AMALGAM_TESTS_FAKE_CARD_H
#define AMALGAM_TESTS_FAKE_CARD_H

#include <string.h>

#include "device/class.h"

#define CARD_OWN    0x234000u               /* the pinned memory, as the kernel has it */
#define CARD_MEMORY (0x3000000u + CARD_OWN) /* and as the bus has it: a core of an SCC (board/scc) */

u32 scc_lut[256] = { CARD_MEMORY - CARD_OWN };

static struct fake_card {
    u8 registers[256];
    bool master;
    bool takes_mode_enabled; /* it takes RCR only while it receives */
    unsigned reset_takes;    /* how often CR is read until a reset is over; ~0u: it never is */
    unsigned left;           /* of it */
    const char *strays;      /* what it could have done outside its memory */
} card;

static u32 card_at(u32 at)
{
    u32 value;
    memcpy(&value, card.registers + at, 4);
    return value;
}

static bool card_resets(void) { return card.registers[0x37] & 0x10; }

static void card_reaches(u32 from, u32 size, const char *by)
{
    if (from < CARD_MEMORY || from - CARD_MEMORY > device_rtl8139.memory ||
        size > device_rtl8139.memory - (from - CARD_MEMORY))
        card.strays = by;
}

/* What a receiver writes: with WRAP behind the end of a ring that is not the longest, a whole frame more. */
static void card_look(void)
{
    u32 mode = card_at(0x44), length = (8u * KIB << (mode >> 11 & 3)) + 16;
    if (card.registers[0x37] & 8 && mode & 0x3f)
        card_reaches(card_at(0x30), length + (mode & 0x80 && (mode >> 11 & 3) != 3 ? 64 * KIB : 0), "received frames");
    if (card_at(0xe0) & 0xffff)
        card.strays = "C+ mode";
}

static void card_sends(unsigned n)
{
    u32 size = card_at(0x10 + 4 * n) & 0x1fff;
    if (card.registers[0x37] & 4 && !(card_at(0x10 + 4 * n) & 0x2000))
        card_reaches(card_at(0x20 + 4 * n), size, "a frame to send");
}

static void card_end_reset(void)
{
    memset(card.registers + 0x10, 0, 0x24);
    memset(card.registers + 0x44, 0, 4);
    card.registers[0x37] = 1;
}

u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    if (at == 0x37 && card_resets() && card.left != ~0u && (!card.left || !--card.left))
        card_end_reset();
    return card_at(at) & (width == 4 ? ~0u : (1u << 8 * width) - 1);
}

void hal_device_write(const struct hal_device *d, u32 at, u32 width, u32 value)
{
    if (card_resets() && at != 0x37)
        return;
    if (at == 0x44 && card.takes_mode_enabled && !(card.registers[0x37] & 8))
        return;
    if (at == 0x37 && card_resets() && value & 0x0c)
        card.strays = "enabled while it is reset";
    memcpy(card.registers + at, &value, width);
    if (at == 0x37 && value & 0x10)
        card.left = card.reset_takes;
    card_look();
    if (at >= 0x10 && at < 0x20)
        card_sends((at - 0x10) / 4);
    for (unsigned n = 0; n < 4 && at >= 0x20 && at < 0x30; n++) /* one may be on its way still */
        card_sends(n);
}

void hal_device_master(const struct hal_device *d, bool on) { card.master = on; }

static const char *card_strays(void) { return card.strays; }

#endif
