/* SPDX-License-Identifier: MIT */
/* number.c - a reader's number as float, double and long double, in their encodings of IEEE 754 (number.h). */
#include "number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

static struct rounded round_to(const struct reader *r, const struct number_format *format)
{
    struct rounded done = reader_round(r, format);
    if (done.out_of_range)
        errno = ERANGE;
    return done;
}

#define FORMAT(type)                                                                                                   \
    {                                                                                                                  \
        type##_MANT_DIG, type##_MIN_EXP - type##_MANT_DIG, type##_MAX_EXP - type##_MANT_DIG                            \
    }

/* The exponent's field: 0 of 0 and of numbers with less than all bits. */
static unsigned field_of(const struct rounded *n, const struct number_format *format)
{
    bool all = n->mantissa[(format->bits - 1) / 32] >> (format->bits - 1) % 32 & 1;
    return all ? (unsigned)(n->exponent - format->least + 1) : 0;
}

double number_double(const struct reader *r)
{
    static const struct number_format format = FORMAT(DBL);
    struct rounded n = round_to(r, &format);
    double value = n.kind == NUMBER_NAN ? NAN : INFINITY;
    if (n.kind == NUMBER_FINITE) {
        uint64_t mantissa = n.mantissa[0] | (uint64_t)n.mantissa[1] << 32;
        uint64_t bits = (mantissa & ((1ull << (DBL_MANT_DIG - 1)) - 1)) | (uint64_t)field_of(&n, &format)
                                                                              << (DBL_MANT_DIG - 1);
        memcpy(&value, &bits, sizeof value);
    }
    return n.negative ? -value : value;
}

float number_float(const struct reader *r)
{
    static const struct number_format format = FORMAT(FLT);
    struct rounded n = round_to(r, &format);
    float value = n.kind == NUMBER_NAN ? NAN : INFINITY;
    if (n.kind == NUMBER_FINITE) {
        uint32_t bits = (n.mantissa[0] & ((1u << (FLT_MANT_DIG - 1)) - 1)) | field_of(&n, &format)
                                                                                 << (FLT_MANT_DIG - 1);
        memcpy(&value, &bits, sizeof value);
    }
    return n.negative ? -value : value;
}

long double number_long_double(const struct reader *r)
{
    static const struct number_format format = FORMAT(LDBL);
    struct rounded n = round_to(r, &format);
    long double value = n.kind == NUMBER_NAN ? NAN : INFINITY;
    if (n.kind == NUMBER_FINITE) {
        uint32_t words[LIMBS] = { 0 };
        memcpy(words, n.mantissa, sizeof words);
#if LDBL_MANT_DIG == 64 /* x87: the first bit is in the mantissa */
        words[2] = field_of(&n, &format);
        memcpy(&value, words, 10);
#elif LDBL_MANT_DIG == 113
        words[3] = (words[3] & 0xffff) | field_of(&n, &format) << 16;
        memcpy(&value, words, sizeof value);
#else
#error "what long double is this?"
#endif
    }
    return n.negative ? -value : value;
}
