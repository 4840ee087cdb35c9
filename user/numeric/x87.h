/* SPDX-License-Identifier: MIT */
/* x87.h - arithmetic that is equal to the bit on each machine: what programs of an SCC compute with. */
#ifndef AMALGAM_NUMERIC_X87_H
#define AMALGAM_NUMERIC_X87_H

#include <stddef.h>
#include <stdint.h>

/* Let the x87 round to 53 bits, as other machines do. OpenMP's threads do so from their start. */
static inline void round_to_53_bits(void)
{
    const uint16_t control = 0x27f;
    __asm__ volatile("fldcw %0" ::"m"(control));
}

/* Add words to Fletcher's sums, which begin as zeros. */
static inline void add_to_sums(uint32_t sums[2], const void *data, size_t bytes)
{
    const uint32_t *word = data;
    for (size_t i = 0; i < bytes / sizeof(*word); i++) {
        sums[0] += word[i];
        sums[1] += sums[0];
    }
}

#endif
