/* SPDX-License-Identifier: MIT */
/* box.c - see box.h. Every word of a box may change between two reads. */
#include "box.h"

static uint32_t mix(uint32_t sum, uint32_t word) { return (sum ^ word) * 16777619u; }

void slot_put(volatile struct slot *slot, uint32_t sequence, uint32_t lost, uint64_t time, const uint8_t *message,
              uint32_t length)
{
    volatile uint32_t *data = (volatile uint32_t *)(slot + 1);
    uint32_t sum = mix(mix(mix(mix(mix(2166136261u, sequence), length), lost), (uint32_t)(time >> 32)), (uint32_t)time);

    slot->sequence = ~sequence; /* not a valid number while the rest is being written */
    apex_fence();
    for (uint32_t i = 0; i < words_of(length); i++) {
        uint32_t word = 0;
        for (uint32_t k = 0; k < 4; k++)
            word = word << 8 | (4 * i + k < length ? message[4 * i + k] : 0);
        data[i] = word;
        sum = mix(sum, word);
    }
    slot->length = length;
    slot->lost = lost;
    slot->time[0] = (uint32_t)(time >> 32);
    slot->time[1] = (uint32_t)time;
    slot->sum = sum;
    apex_fence();
    slot->sequence = sequence;
}

bool slot_take(const volatile struct slot *slot, uint32_t sequence, uint8_t *message, uint32_t room, uint32_t *length,
               uint32_t *lost, uint64_t *time)
{
    const volatile uint32_t *data = (const volatile uint32_t *)(slot + 1);

    if (slot->sequence != sequence)
        return false;
    apex_fence();
    uint32_t n = slot->length, missing = slot->lost, high = slot->time[0], low = slot->time[1], expected = slot->sum;
    if (n > room) /* from here on only the copy n is used */
        return false;
    uint32_t sum = mix(mix(mix(mix(mix(2166136261u, sequence), n), missing), high), low);
    for (uint32_t i = 0; i < words_of(n); i++) {
        uint32_t word = data[i];
        sum = mix(sum, word);
        for (uint32_t k = 0; k < 4 && 4 * i + k < n; k++)
            message[4 * i + k] = (uint8_t)(word >> (24 - 8 * k));
    }
    apex_fence();
    if (slot->sequence != sequence || sum != expected)
        return false;
    *length = n;
    *lost = missing;
    *time = (uint64_t)high << 32 | low;
    return true;
}
