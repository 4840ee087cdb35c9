/* SPDX-License-Identifier: MIT */
/*
 * chacha.h - the block function of ChaCha20 (RFC 8439, 2.3) with counter and nonce 0, for a key that is used once: half
 * of the block is the next key, the other half is given out, so nobody finds out what was given before ("fast key
 * erasure"). The kernel and the library of processes use it.
 */
#ifndef AMALGAM_CHACHA_H
#define AMALGAM_CHACHA_H

#include <stdint.h>

#define CHACHA_KEY 8 /* words */

static inline uint32_t chacha_turn(uint32_t value, unsigned n) { return value << n | value >> (32 - n); }

static inline void chacha_quarter(uint32_t *x, unsigned a, unsigned b, unsigned c, unsigned d)
{
    static const uint8_t turns[4] = { 16, 12, 8, 7 };
    for (unsigned i = 0; i < 4; i += 2) {
        x[a] += x[b];
        x[d] = chacha_turn(x[d] ^ x[a], turns[i]);
        x[c] += x[d];
        x[b] = chacha_turn(x[b] ^ x[c], turns[i + 1]);
    }
}

/* Replace the key; `out` becomes as many words that tell nothing of it. */
static inline void chacha_draw(uint32_t key[CHACHA_KEY], uint32_t out[CHACHA_KEY])
{
    uint32_t from[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 }, x[16];
    for (unsigned i = 0; i < CHACHA_KEY; i++)
        from[4 + i] = key[i];
    for (unsigned i = 0; i < 16; i++)
        x[i] = from[i];
    for (unsigned round = 0; round < 10; round++) {
        for (unsigned i = 0; i < 4; i++)
            chacha_quarter(x, i, i + 4, i + 8, i + 12);
        for (unsigned i = 0; i < 4; i++)
            chacha_quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (unsigned i = 0; i < CHACHA_KEY; i++) {
        key[i] = x[i] + from[i];
        out[i] = x[8 + i] + from[8 + i];
    }
}

#endif
