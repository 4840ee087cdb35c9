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

/* The rotations are constants, because a processor without a rotation (RISC-V) takes three instructions for those, and
 * more for others. */
static inline void chacha_quarter(uint32_t *pa, uint32_t *pb, uint32_t *pc, uint32_t *pd)
{
    uint32_t a = *pa, b = *pb, c = *pc, d = *pd;
    a += b, d = chacha_turn(d ^ a, 16);
    c += d, b = chacha_turn(b ^ c, 12);
    a += b, d = chacha_turn(d ^ a, 8);
    c += d, b = chacha_turn(b ^ c, 7);
    *pa = a, *pb = b, *pc = c, *pd = d;
}

/* Replace the key; `out` becomes as many words that tell nothing of it. */
static inline void chacha_draw(uint32_t key[CHACHA_KEY], uint32_t out[CHACHA_KEY])
{
    static const uint32_t begin[4] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };
    uint32_t x[16]; /* in rows of four: these, the key's halves, and the counter and nonce */
    for (unsigned i = 0; i < 4; i++) {
        x[i] = begin[i];
        x[4 + i] = key[i];
        x[8 + i] = key[4 + i];
        x[12 + i] = 0;
    }
    for (unsigned round = 0; round < 10; round++) {
        for (uint32_t *a = x; a < x + 4; a++)
            chacha_quarter(a, a + 4, a + 8, a + 12);
        chacha_quarter(&x[0], &x[5], &x[10], &x[15]);
        chacha_quarter(&x[1], &x[6], &x[11], &x[12]);
        chacha_quarter(&x[2], &x[7], &x[8], &x[13]);
        chacha_quarter(&x[3], &x[4], &x[9], &x[14]);
    }
    for (unsigned i = 0; i < 4; i++) { /* each sum before its old word of the key is replaced */
        out[i] = x[8 + i] + key[4 + i];
        out[4 + i] = x[12 + i];
        key[4 + i] = x[4 + i] + key[i];
        key[i] = x[i] + begin[i];
    }
}

#endif
