/* SPDX-License-Identifier: MIT */
/*
 * Whatever a driver of an RTL8139 reads and writes, in whatever order, the card is told of nothing but its pinned
 * memory (tests/host/fake_card.h says what it could reach).
 *
 * The first byte is how the card is: how long a reset takes, and when it takes its mode. Then come accesses: register,
 * width and kind, value. Registers that have an address or a size are chosen more often.
 */
#include <stdlib.h>

#include "fake_card.h"

static const u8 chosen[] = { 0x10, 0x14, 0x18, 0x1c, 0x20, 0x24, 0x28, 0x2c,
                             0x30, 0x37, 0x37, 0x37, 0x44, 0x44, 0x40, 0xe0 };

/* A value near a bound, or any. */
static u32 value_of(const u8 *bytes)
{
    static const u32 near[] = { 0, 0x11000, 0x12900, 0x1800, 0xf80e, 0x0c, 0x10, 1792 };
    u32 value;
    memcpy(&value, bytes + 1, 4);
    return bytes[0] & 0x80 ? value : near[bytes[0] & 7] + (value & 0xff) * (bytes[0] >> 3 & 3);
}

static void access(const struct hal_device *hal, struct device_state *state, const u8 *bytes)
{
    u32 at = bytes[0] < ARRAY_SIZE(chosen) * 8 ? chosen[bytes[0] / 8] : bytes[1], width = 1u << bytes[2] % 3;
    u8 may = device_rtl8139.access[at];
    if (bytes[2] & 0x80 && (may & DEVICE_WIDTHS) == width)
        hal_device_read(hal, at, width);
    if (!(bytes[2] & 0x80) && may >> DEVICE_WRITES == width)
        device_rtl8139.write(hal, state, at, width, value_of(bytes + 3));
    if (card_strays())
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const struct hal_device hal;
    struct device_state state = { .memory = CARD_OWN };
    if (!size)
        return 0;
    memset(&card, 0, sizeof(card));
    memset(card.registers, 0xee, 0x34);
    card.reset_takes = data[0] & 7;
    card.takes_mode_enabled = data[0] & 8;
    device_rtl8139.reset(&hal, &state);
    for (size_t at = 1; at + 8 <= size; at += 8)
        access(&hal, &state, data + at);
    return 0;
}
