/* SPDX-License-Identifier: MIT */
/*
 * digits.h - all decimal digits of a binary floating-point number, by integers only.
 *
 * A decimal is an array of words of nine digits, most significant first, with the point behind the word `unit`. Each
 * binary number has a decimal with a finite number of digits, so it is exact, and round_at() rounds once.
 */
#ifndef AMALGAM_USER_DIGITS_H
#define AMALGAM_USER_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIMBS       4 /* of 32 bits: the mantissa of a quad has 113 bits */
#define WORD        1000000000u
#define WORD_DIGITS 9

enum number_kind { NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN };

/* mantissa * 2^exponent */
struct binary {
    enum number_kind kind;
    bool negative;
    uint32_t mantissa[LIMBS]; /* least significant first; odd, or 0 */
    int exponent;
};

struct binary binary_of_double(double value);
struct binary binary_of_long_double(long double value);
/* Returns the number of significant bits of the mantissa. */
int binary_bits(const struct binary *b);

struct decimal {
    uint32_t *unit;  /* the word before the point */
    uint32_t *first; /* the first word that is not 0, or `unit` of the number 0 */
    uint32_t *end;   /* behind the last word */
};

/* Returns how many words decimal_make() needs. */
size_t decimal_words(const struct binary *b);
struct decimal decimal_make(const struct binary *b, uint32_t *words);
/* Returns N of the first digit's value 10^N; 0 for the number 0. */
int decimal_exponent(const struct decimal *d);
/* Returns the digit whose value is 10^`place`. */
unsigned decimal_digit(const struct decimal *d, int place);
/* Round to a multiple of 10^`place`, which is at most 1 or the first digit's value; a tie to even. */
void decimal_round(struct decimal *d, int place);
/* Returns N of the last digit's value 10^N that is not 0. */
int decimal_last(const struct decimal *d);

#endif
