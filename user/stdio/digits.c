/* SPDX-License-Identifier: MIT */
/* digits.c - decimal digits of binary numbers (digits.h). */
#include "digits.h"

#include <float.h>
#include <string.h>

#define SHIFT_UP   29 /* bits: a word times 2^29 plus a carry fits in 64 bits */
#define SHIFT_DOWN 9  /* bits: 2^9 divides WORD, so that a word's remainder is exact in the next word */

/* Shift the mantissa right by less than 32 bits. */
static void shift_right(uint32_t *limbs, int bits)
{
    for (int i = 0; i < LIMBS; i++) {
        uint64_t two = limbs[i] | (i + 1 < LIMBS ? (uint64_t)limbs[i + 1] << 32 : 0);
        limbs[i] = (uint32_t)(two >> bits);
    }
}

static bool is_zero(const uint32_t *limbs) { return !(limbs[0] | limbs[1] | limbs[2] | limbs[3]); }

/* Build a number from an IEEE 754 encoding: its exponent field, the widest one, and the bits of its fraction.
 * `leading`: the mantissa has its first bit already (x87). */
static struct binary build(struct binary b, unsigned field, unsigned widest, int fraction_bits, bool leading)
{
    if (field == widest) {
        if (leading)
            b.mantissa[1] ^= 1u << 31;
        b.kind = is_zero(b.mantissa) ? NUMBER_INFINITE : NUMBER_NAN;
        return b;
    }
    if (field && leading &&
        !(b.mantissa[1] >> 31)) { /* no number of the x87 since the 80387 (Intel SDM vol. 1, 8.2.2) */
        b.kind = NUMBER_NAN;
        return b;
    }
    if (field && !leading)
        b.mantissa[fraction_bits / 32] |= 1u << fraction_bits % 32;
    b.exponent = (int)(field ? field : 1) - (int)(widest / 2) - fraction_bits;
    if (is_zero(b.mantissa)) {
        b.exponent = 0;
        return b;
    }
    while (!(b.mantissa[0] & 1)) {
        int zeros = b.mantissa[0] ? __builtin_ctz(b.mantissa[0]) : 31;
        shift_right(b.mantissa, zeros);
        b.exponent += zeros;
    }
    return b;
}

struct binary binary_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct binary b = { .negative = bits >> 63, .mantissa = { (uint32_t)bits, (uint32_t)(bits >> 32) & 0xfffff } };
    return build(b, bits >> 52 & 0x7ff, 0x7ff, DBL_MANT_DIG - 1, false);
}

struct binary binary_of_long_double(long double value)
{
    struct binary b = { .kind = NUMBER_FINITE };
#if LDBL_MANT_DIG == 64 /* x87: 64 bits, of which the first is 1, and a word of sign and exponent */
    uint32_t words[3] = { 0 };
    memcpy(words, &value, 10);
    b.negative = words[2] >> 15 & 1;
    memcpy(b.mantissa, words, 8);
    return build(b, words[2] & 0x7fff, 0x7fff, LDBL_MANT_DIG - 1, true);
#elif LDBL_MANT_DIG == 113
    uint32_t words[4];
    memcpy(words, &value, sizeof words);
    b.negative = words[3] >> 31;
    memcpy(b.mantissa, words, sizeof words);
    b.mantissa[3] &= 0xffff;
    return build(b, words[3] >> 16 & 0x7fff, 0x7fff, LDBL_MANT_DIG - 1, false);
#else
    (void)b;
    return binary_of_double((double)value);
#endif
}

int binary_bits(const struct binary *b)
{
    int i = LIMBS - 1;
    while (i && !b->mantissa[i])
        i--;
    return b->mantissa[i] ? i * 32 + 32 - __builtin_clz(b->mantissa[i]) : 0;
}

/* Words before the point, one of them for a carry: a word has more than 29 bits. */
static size_t words_before(const struct binary *b)
{
    int bits = binary_bits(b) + (b->exponent > 0 ? b->exponent : 0);
    return (size_t)bits / SHIFT_UP + 2;
}

size_t decimal_words(const struct binary *b)
{
    return words_before(b) + (b->exponent < 0 ? (size_t)(-b->exponent + SHIFT_DOWN - 1) / SHIFT_DOWN : 0);
}

/* Divide the mantissa by WORD. Returns the remainder. */
static uint32_t divide(uint32_t *limbs)
{
    uint64_t rest = 0;
    for (int i = LIMBS; i--;) {
        rest = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(rest / WORD);
        rest %= WORD;
    }
    return (uint32_t)rest;
}

static void shift_up(struct decimal *d, int bits)
{
    uint32_t carry = 0;
    for (uint32_t *word = d->end; word-- > d->first;) {
        uint64_t product = ((uint64_t)*word << bits) + carry;
        *word = (uint32_t)(product % WORD);
        carry = (uint32_t)(product / WORD);
    }
    if (carry)
        *--d->first = carry;
}

static void shift_down(struct decimal *d, int bits)
{
    uint32_t rest = 0;
    for (uint32_t *word = d->first; word < d->end; word++) {
        uint32_t old = *word;
        *word = (old >> bits) + rest;
        rest = (old & ((1u << bits) - 1)) * (WORD >> bits);
    }
    if (rest)
        *d->end++ = rest;
    while (!*d->first && d->first + 1 < d->end)
        d->first++;
}

struct decimal decimal_make(const struct binary *b, uint32_t *words)
{
    memset(words, 0, decimal_words(b) * sizeof *words);
    uint32_t limbs[LIMBS], *unit = words + words_before(b) - 1;
    struct decimal d = { .unit = unit, .first = unit, .end = unit + 1 };
    memcpy(limbs, b->mantissa, sizeof limbs);
    *unit = divide(limbs);
    while (!is_zero(limbs))
        *--d.first = divide(limbs);
    for (int left = b->exponent; left > 0; left -= SHIFT_UP)
        shift_up(&d, left < SHIFT_UP ? left : SHIFT_UP);
    for (int left = -b->exponent; left > 0; left -= SHIFT_DOWN)
        shift_down(&d, left < SHIFT_DOWN ? left : SHIFT_DOWN);
    return d;
}

static uint32_t power_of_10(int n)
{
    uint32_t power = 1;
    while (n--)
        power *= 10;
    return power;
}

/* Returns the word that holds the digit of 10^`place`, and sets its place in the word. */
static uint32_t *word_of(const struct decimal *d, int place, int *within)
{
    int words = place >= 0 ? place / WORD_DIGITS : -((WORD_DIGITS - 1 - place) / WORD_DIGITS);
    *within = place - words * WORD_DIGITS;
    return d->unit - words;
}

int decimal_exponent(const struct decimal *d)
{
    int exponent = (int)(d->unit - d->first) * WORD_DIGITS;
    for (uint32_t word = *d->first; word >= 10; word /= 10)
        exponent++;
    return exponent;
}

unsigned decimal_digit(const struct decimal *d, int place)
{
    int within;
    uint32_t *word = word_of(d, place, &within);
    return word < d->first || word >= d->end ? 0 : *word / power_of_10(within) % 10;
}

int decimal_last(const struct decimal *d)
{
    uint32_t *word = d->end - 1;
    while (word > d->first && !*word)
        word--;
    int place = (int)(d->unit - word) * WORD_DIGITS;
    for (uint32_t rest = *word; rest && rest % 10 == 0; rest /= 10)
        place++;
    return place;
}

/* Compare what is below the digit `within` of a word with half of that digit: negative, 0, or positive. */
static int compare_with_half(const struct decimal *d, const uint32_t *word, int within)
{
    uint32_t rest, half;
    if (within) {
        half = power_of_10(within) / 2;
        rest = *word % power_of_10(within);
    } else {
        half = WORD / 2;
        rest = ++word < d->end ? *word : 0;
    }
    if (rest != half)
        return rest < half ? -1 : 1;
    for (word++; word < d->end; word++)
        if (*word)
            return 1;
    return 0;
}

void decimal_round(struct decimal *d, int place)
{
    int within;
    uint32_t *word = word_of(d, place, &within), power = power_of_10(within);
    if (word >= d->end)
        return;
    int side = compare_with_half(d, word, within);
    bool up = side > 0 || (side == 0 && *word / power & 1);
    *word -= *word % power;
    d->end = word + 1;
    if (word < d->first)
        d->first = word;
    if (up)
        for (*word += power; *word >= WORD; ++*word) {
            *word -= WORD;
            if (--word < d->first)
                d->first = word;
        }
    while (!*d->first && d->first < d->unit)
        d->first++;
    if (!*d->first && d->first > d->unit) /* rounded to 0 */
        d->first = d->unit;
}
