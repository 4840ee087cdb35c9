/* SPDX-License-Identifier: MIT */
/*
 * number.h - reads a floating-point number by characters and rounds it once (C17 7.22.1.3): decimal, hexadecimal, "inf"
 * and "nan". strtod() and scanf() call it.
 *
 * A reader is fed one character after the other. It keeps the digits; `accepted` is how many characters from the first
 * on are a number, so that "1e+" is "1" and two characters more.
 */
#ifndef AMALGAM_USER_NUMBER_H
#define AMALGAM_USER_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digits.h"

/* A tie between two doubles has at most 767 digits; behind that many it only counts whether one is not 0. */
#define MOST_KEPT 780

enum reader_state {
    AT_SIGN,
    AT_FIRST,
    IN_WORD,
    IN_PAYLOAD,
    AT_X,
    IN_DIGITS,
    AT_EXPONENT_SIGN,
    AT_EXPONENT,
    IN_EXPONENT,
    AT_END
};

struct reader {
    enum reader_state state;
    enum number_kind kind;
    bool negative, hexadecimal, has_digits, has_point, exponent_negative;
    bool more;          /* a digit behind the kept ones is not 0 */
    size_t taken;       /* characters */
    size_t accepted;    /* of these: as many as are a number */
    const char *word;   /* what is left of "infinity" or "nan" */
    long point;         /* the first kept digit stands that many places before the point */
    long exponent;      /* that is in the text */
    long used_exponent; /* `exponent` as of `accepted` */
    int n;              /* digits kept */
    uint8_t digits[MOST_KEPT];
};

/* The format of a binary floating-point type: bits of its mantissa, and exponents of the lowest bit of its smallest and
 * largest number. */
struct number_format {
    int bits, least, largest;
};

/* A rounded number: mantissa * 2^exponent, of at most `bits` bits. */
struct rounded {
    enum number_kind kind;
    bool negative, out_of_range;
    uint32_t mantissa[LIMBS];
    int exponent;
};

void reader_begin(struct reader *r);
/* Take a character. Returns whether it can belong to the number. */
bool reader_take(struct reader *r, int c);
/* The number of the `accepted` characters. */
struct rounded reader_round(const struct reader *r, const struct number_format *format);

/* number.c: the same as one of C's types, with ERANGE in errno where it is out of range. */
float number_float(const struct reader *r);
double number_double(const struct reader *r);
long double number_long_double(const struct reader *r);

#endif
