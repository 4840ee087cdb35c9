/* SPDX-License-Identifier: MIT */
/*
 * round.c - rounds the digits of a reader to a binary format, once, a tie to even (number.h).
 *
 * A decimal number is an array of words of nine digits with the point at a place of its own. It is multiplied or
 * divided by powers of two until it has two bits more before its point than the format; what is behind the point then
 * only counts as "not 0". Dividing drops low words into that, multiplying keeps all of them, so nothing is rounded
 * before.
 */
#include <string.h>

#include "number.h"

#define SHIFT_UP   29
#define SHIFT_DOWN 9
#define EXTRA      2 /* bits: a half, and less than a half */
#define KEPT_DOWN  8 /* words that a division keeps: those of any mantissa, and more */
#define WORDS      (MOST_KEPT / WORD_DIGITS + 2)

struct big {
    uint32_t *first, *end;
    int point; /* words from `first` to the point; not positive: so many words of 0 are between the point and `first` */
    bool more;
};

/* Forget words of 0 at the end, so that there is one behind the point only if it counts. */
static void trim(struct big *b)
{
    while (b->end > b->first && !b->end[-1])
        b->end--;
}

static void multiply(struct big *b, int bits)
{
    uint32_t carry = 0;
    for (uint32_t *word = b->end; word-- > b->first;) {
        uint64_t product = ((uint64_t)*word << bits) + carry;
        *word = (uint32_t)(product % WORD);
        carry = (uint32_t)(product / WORD);
    }
    if (carry) {
        *--b->first = carry;
        b->point++;
    }
    trim(b);
}

static void divide(struct big *b, int bits)
{
    uint32_t rest = 0;
    for (uint32_t *word = b->first; word < b->end; word++) {
        uint32_t old = *word;
        *word = (old >> bits) + rest;
        rest = (old & ((1u << bits) - 1)) * (WORD >> bits);
    }
    if (b->end - b->first < KEPT_DOWN)
        *b->end++ = rest;
    else
        b->more |= rest != 0;
    while (b->first < b->end && !*b->first) {
        b->first++;
        b->point--;
    }
    trim(b);
}

/* Returns the value of the digits before the point, which are at most those of LIMBS + 1 words. */
static void whole_part(const struct big *b, uint32_t *limbs)
{
    memset(limbs, 0, (LIMBS + 1) * sizeof *limbs);
    for (int i = 0; i < b->point; i++) {
        uint64_t carry = b->first + i < b->end ? b->first[i] : 0;
        for (int k = 0; k <= LIMBS; k++) {
            carry += (uint64_t)limbs[k] * WORD;
            limbs[k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

static int bits_of(const uint32_t *limbs, int n)
{
    while (n && !limbs[n - 1])
        n--;
    return n ? n * 32 - __builtin_clz(limbs[n - 1]) : 0;
}

/* Returns the bits before the point, or `many` if there are more words than any mantissa has. */
static int whole_bits(const struct big *b, int many)
{
    uint32_t limbs[LIMBS + 1];
    if (b->point > LIMBS)
        return many;
    whole_part(b, limbs);
    return bits_of(limbs, LIMBS + 1);
}

/* Pack the reader's digits into words, which begin at a multiple of nine places from the point. */
static struct big pack(const struct reader *r, long point, uint32_t *words, size_t room)
{
    int before = (int)((point % WORD_DIGITS + WORD_DIGITS) % WORD_DIGITS); /* digits in the first word; 0: all nine */
    int at = before ? WORD_DIGITS - before : 0, n = (at + r->n + WORD_DIGITS - 1) / WORD_DIGITS;
    struct big b = { .first = words + room,
                     .point = (int)((point - before) / WORD_DIGITS) + (before != 0),
                     .more = r->more };
    b.end = b.first + n;
    memset(b.first, 0, (size_t)n * sizeof *b.first);
    for (int i = 0; i < n * WORD_DIGITS; i++) {
        int digit = i - at;
        uint32_t *word = &b.first[i / WORD_DIGITS];
        *word = *word * 10 + (digit >= 0 && digit < r->n ? r->digits[digit] : 0);
    }
    trim(&b);
    return b;
}

/* Shift limbs right. Returns whether one of the bits that are lost is 1, but for the highest, which is *half. */
static bool shift_right(uint32_t *limbs, int bits, bool *half)
{
    bool lost = false;
    *half = false;
    for (int i = 0; i < bits; i++) {
        lost |= *half;
        *half = limbs[0] & 1;
        for (int k = 0; k < LIMBS; k++)
            limbs[k] = limbs[k] >> 1 | (k + 1 < LIMBS ? limbs[k + 1] << 31 : 0);
    }
    return lost;
}

static void shift_left(uint32_t *limbs, int bits)
{
    for (; bits > 0; bits--)
        for (int k = LIMBS; k--;)
            limbs[k] = limbs[k] << 1 | (k ? limbs[k - 1] >> 31 : 0);
}

/* Round limbs * 2^exponent, and a little if `more`, to the format. */
static struct rounded round_binary(const uint32_t *limbs, int exponent, bool more, const struct number_format *format)
{
    struct rounded done = { .kind = NUMBER_FINITE };
    memcpy(done.mantissa, limbs, sizeof done.mantissa);
    int bits = bits_of(limbs, LIMBS), drop = bits - format->bits;
    bool half, tiny = exponent + drop < format->least;
    if (tiny)
        drop = format->least - exponent;
    if (drop > 32 * LIMBS)
        drop = 32 * LIMBS;
    if (drop > 0) {
        more |= shift_right(done.mantissa, drop, &half);
        bool up = half && (more || done.mantissa[0] & 1);
        for (int i = 0; up && i < LIMBS; i++)
            up = !++done.mantissa[i];
        more |= half;
        exponent += drop;
    }
    if (bits_of(done.mantissa, LIMBS) > format->bits) { /* carried: the mantissa is a power of two */
        shift_right(done.mantissa, 1, &half);
        exponent++;
    }
    bits = bits_of(done.mantissa, LIMBS);
    if (bits && bits < format->bits && exponent > format->least) {
        int shift = format->bits - bits < exponent - format->least ? format->bits - bits : exponent - format->least;
        shift_left(done.mantissa, shift);
        exponent -= shift;
        bits += shift;
    }
    done.exponent = exponent;
    if (bits && bits - format->bits + exponent > format->largest) {
        done.kind = NUMBER_INFINITE;
        done.out_of_range = true;
    }
    done.out_of_range |= tiny && more;
    return done;
}

static struct rounded round_decimal(const struct reader *r, long point, const struct number_format *format)
{
    int wanted = format->bits + EXTRA, exponent = 0, bits;
    size_t room = (size_t)(point < 0 ? -point : 0) / WORD_DIGITS + 2 * LIMBS;
    uint32_t words[room + WORDS + KEPT_DOWN + (point > 0 ? (size_t)point / WORD_DIGITS : 0)], limbs[LIMBS + 1];
    struct big b = pack(r, point, words, room);
    while ((bits = whole_bits(&b, wanted + SHIFT_DOWN)) > wanted) {
        int shift = bits - wanted < SHIFT_DOWN ? bits - wanted : SHIFT_DOWN;
        divide(&b, shift);
        exponent += shift;
    }
    while ((bits = whole_bits(&b, wanted)) < wanted) {
        int shift = wanted - bits < SHIFT_UP ? wanted - bits : SHIFT_UP;
        multiply(&b, shift);
        exponent -= shift;
    }
    whole_part(&b, limbs);
    int whole = b.point > 0 ? b.point : 0;
    return round_binary(limbs, exponent, b.more || b.end - b.first > whole, format);
}

static struct rounded round_hexadecimal(const struct reader *r, long point, const struct number_format *format)
{
    uint32_t limbs[LIMBS] = { 0 };
    bool more = r->more;
    int n = 0;
    for (; n < r->n && n < LIMBS * 8 - 1; n++) {
        for (int i = LIMBS - 1; i; i--)
            limbs[i] = limbs[i] << 4 | limbs[i - 1] >> 28;
        limbs[0] = limbs[0] << 4 | r->digits[n];
    }
    for (int i = n; i < r->n; i++)
        more |= r->digits[i] != 0;
    return round_binary(limbs, (int)(point - 4 * n), more, format);
}

/* Returns about `bits` / log2(10), not nearer to 0. */
static long places_of(long bits) { return bits * 302 / 1000; }

/* Returns 1 if a number of that many places (bits, of hexadecimal digits) before its first digit is infinite whatever
 * its digits are, -1 if it is 0, and 0 if its digits count. So no array is longer than the format's range needs. */
static int is_beyond(long point, bool hexadecimal, const struct number_format *format)
{
    long most = format->largest + format->bits, least = format->least - 1;
    if (!hexadecimal) {
        most = places_of(most) + 1;
        least = places_of(least) - 1;
    }
    return point > most + 4 ? 1 : point < least - 4 ? -1 : 0;
}

struct rounded reader_round(const struct reader *r, const struct number_format *format)
{
    struct rounded done = { .kind = r->kind };
    if (r->kind == NUMBER_FINITE && r->n) {
        long point;
        int beyond = r->used_exponent < 0 ? -1 : 1;
        if (!__builtin_mul_overflow(r->point, r->hexadecimal ? 4 : 1, &point) &&
            !__builtin_add_overflow(point, r->used_exponent, &point))
            beyond = is_beyond(point, r->hexadecimal, format);
        if (!beyond)
            done = r->hexadecimal ? round_hexadecimal(r, point, format) : round_decimal(r, point, format);
        done.out_of_range |= beyond != 0;
        if (beyond > 0)
            done.kind = NUMBER_INFINITE;
    }
    done.negative = r->negative;
    return done;
}
