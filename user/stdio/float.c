/* SPDX-License-Identifier: MIT */
/* float.c - printf() of floating point: %e, %f, %g and %a, of double and long double, with all the digits that are
 * asked for. A number is rounded once, a tie to even. */
#include <stdlib.h>
#include <string.h>

#include "format.h"

#define MOST_PLACES 20000 /* no number has digits further from the point: rounding there changes nothing */
#define NIBBLES     (LIMBS * 8)

static int least(int a, int b) { return a < b ? a : b; }

/* An exponent as text: its letter, sign and at least `digits` digits. Returns its length. */
static size_t exponent_text(char *text, char letter, int exponent, int digits)
{
    char reversed[8];
    int n = 0;
    for (int left = abs(exponent); left || n < digits; left /= 10)
        reversed[n++] = (char)('0' + left % 10);
    char *at = text;
    *at++ = letter;
    *at++ = exponent < 0 ? '-' : '+';
    while (n)
        *at++ = reversed[--n];
    return (size_t)(at - text);
}

/* Print the digits from 10^`from` down to 10^`to`. */
static void put_digits(struct output *out, const struct decimal *d, int from, int to)
{
    int last = decimal_last(d);
    for (; from >= to && from >= last; from--)
        output_pad(out, (char)('0' + decimal_digit(d, from)), 1);
    if (from >= to)
        output_pad(out, '0', (size_t)(from - to) + 1);
}

/* Print `precision` digits after the point. */
static void put_fixed(struct output *out, const struct conversion *c, const struct decimal *d, const char *sign,
                      int precision)
{
    int lead = decimal_exponent(d) > 0 ? decimal_exponent(d) : 0;
    bool point = precision || c->flags & ALTERNATE;
    size_t behind = output_field(out, c, sign, (size_t)lead + 1 + point + (size_t)precision);
    put_digits(out, d, lead, 0);
    if (point)
        output_pad(out, '.', 1);
    put_digits(out, d, -1, -precision);
    output_pad(out, ' ', behind);
}

/* Print one digit, `precision` digits after the point, and the exponent. */
static void put_scientific(struct output *out, const struct conversion *c, const struct decimal *d, const char *sign,
                           int precision, char letter)
{
    char text[8];
    int lead = decimal_exponent(d);
    bool point = precision || c->flags & ALTERNATE;
    size_t n = exponent_text(text, letter, lead, 2);
    size_t behind = output_field(out, c, sign, 1 + point + (size_t)precision + n);
    put_digits(out, d, lead, lead);
    if (point)
        output_pad(out, '.', 1);
    put_digits(out, d, lead - 1, lead - precision);
    output_text(out, text, n);
    output_pad(out, ' ', behind);
}

static void put_decimal(struct output *out, const struct conversion *c, const struct binary *b, const char *sign)
{
    uint32_t words[decimal_words(b)];
    struct decimal d = decimal_make(b, words);
    int precision = c->precision < 0 ? 6 : c->precision;
    char letter = c->letter & 0x20 ? 'e' : 'E';
    switch (c->letter | 0x20) {
    case 'f':
        decimal_round(&d, -least(precision, MOST_PLACES));
        put_fixed(out, c, &d, sign, precision);
        return;
    case 'e':
        decimal_round(&d, decimal_exponent(&d) - least(precision, MOST_PLACES));
        put_scientific(out, c, &d, sign, precision, letter);
        return;
    default: break;
    }
    if (!precision)
        precision = 1;
    decimal_round(&d, decimal_exponent(&d) - least(precision - 1, MOST_PLACES));
    int exponent = decimal_exponent(&d), last = decimal_last(&d);
    bool fixed = exponent >= -4 && exponent < precision;
    int places = fixed ? precision - 1 - exponent : precision - 1;
    if (!(c->flags & ALTERNATE)) {
        int wanted = fixed ? -last : exponent - last;
        places = least(places, wanted > 0 ? wanted : 0);
    }
    if (fixed)
        put_fixed(out, c, &d, sign, places);
    else
        put_scientific(out, c, &d, sign, places, letter);
}

/* Write the mantissa as hexadecimal digits, the first of which is 1, or 0 of the number 0. Returns the exponent of 2.
 */
static int hexadecimal_digits(const struct binary *b, uint8_t *digits)
{
    int bits = binary_bits(b);
    memset(digits, 0, NIBBLES);
    for (int bit = bits; bit--;) {
        int place = bits - 1 - bit; /* behind the first bit, which is a digit of its own */
        int digit = place ? (place + 3) / 4 : 0;
        if (b->mantissa[bit / 32] >> bit % 32 & 1)
            digits[digit] |= (uint8_t)(place ? 8u >> (place - 1) % 4 : 1);
    }
    return bits ? b->exponent + bits - 1 : 0;
}

static void round_hexadecimal(uint8_t *digits, int precision)
{
    int next = precision + 1;
    bool rest = digits[next] & 7;
    for (int i = next + 1; i < NIBBLES; i++)
        rest |= digits[i] != 0;
    bool up = digits[next] & 8 && (rest || digits[precision] & 1);
    memset(digits + next, 0, NIBBLES - (size_t)next);
    for (int i = precision; up; i--) {
        digits[i]++;
        up = i && digits[i] > 15;
        if (up)
            digits[i] = 0;
    }
}

static void put_hexadecimal(struct output *out, const struct conversion *c, const struct binary *b, const char *sign)
{
    uint8_t digits[NIBBLES];
    char text[8], prefix[4];
    bool upper = c->letter == 'A';
    int exponent = hexadecimal_digits(b, digits), precision = c->precision;
    if (precision < 0)
        for (precision = NIBBLES - 1; precision && !digits[precision];)
            precision--;
    else if (precision < NIBBLES - 1)
        round_hexadecimal(digits, precision);
    strcpy(prefix, sign);
    strcat(prefix, upper ? "0X" : "0x");
    size_t n = exponent_text(text, upper ? 'P' : 'p', exponent, 1);
    bool point = precision || c->flags & ALTERNATE;
    size_t behind = output_field(out, c, prefix, 1 + point + (size_t)precision + n);
    for (int i = 0; i <= precision; i++) {
        if (i == 1)
            output_pad(out, '.', 1);
        output_pad(out, i < NIBBLES ? (upper ? "0123456789ABCDEF" : "0123456789abcdef")[digits[i]] : '0', 1);
    }
    if (point && !precision)
        output_pad(out, '.', 1);
    output_text(out, text, n);
    output_pad(out, ' ', behind);
}

void format_float(struct output *out, const struct conversion *c, const struct binary *b)
{
    const char *sign = sign_of(c, b->negative);
    if (b->kind == NUMBER_FINITE) {
        if ((c->letter | 0x20) == 'a')
            put_hexadecimal(out, c, b, sign);
        else
            put_decimal(out, c, b, sign);
        return;
    }
    struct conversion blank = *c;
    bool upper = !(c->letter & 0x20);
    blank.flags &= ~ZEROS;
    size_t behind = output_field(out, &blank, sign, 3);
    output_text(out, b->kind == NUMBER_NAN ? upper ? "NAN" : "nan" : upper ? "INF" : "inf", 3);
    output_pad(out, ' ', behind);
}
