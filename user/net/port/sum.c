/* SPDX-License-Identifier: MIT */
/* sum.c - the Internet's checksum (RFC 1071), a machine's word at a time: lwIP's own takes two bytes. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/cc.h"

/* Add with the carry, as ones' complement has it. */
static inline uintptr_t plus(uintptr_t a, uintptr_t b)
{
    uintptr_t sum;
    return sum = a + b, sum + (sum < b);
}

static inline uintptr_t word(const uint8_t *at)
{
    uintptr_t w;
    memcpy(&w, at, sizeof w);
    return w;
}

/* Returns the sum of all pairs of bytes, in the machine's order, folded to 16 bits; not its complement. */
uint16_t net_sum(const void *data, int length)
{
    const uint8_t *at = data;
    size_t n = (size_t)length;
    uintptr_t sum = 0, last = 0;
    for (; n >= 4 * sizeof sum; n -= 4 * sizeof sum, at += 4 * sizeof sum) {
        sum = plus(sum, word(at));
        sum = plus(sum, word(at + sizeof sum));
        sum = plus(sum, word(at + 2 * sizeof sum));
        sum = plus(sum, word(at + 3 * sizeof sum));
    }
    for (; n >= sizeof sum; n -= sizeof sum, at += sizeof sum)
        sum = plus(sum, word(at));
    memcpy(&last, at, n);
    sum = plus(sum, last);
    if (sizeof sum > sizeof(uint32_t))
        sum = (sum & UINT32_MAX) + (sum >> (sizeof sum * 4));
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}
