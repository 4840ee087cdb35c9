/* SPDX-License-Identifier: MIT */
/*
 * transform.h - one discrete transform of SIDE x SIDE points by four steps (Bailey, 1990): of columns, twiddles,
 * transposition, of rows. Point p is point p / SIDE of column p % SIDE; value v is value v / SIDE of row v % SIDE.
 */
#ifndef AMALGAM_NUMERIC_TRANSFORM_H
#define AMALGAM_NUMERIC_TRANSFORM_H

#include <stdint.h>
#include <stdio.h>

#define SIDE 192 /* 2^6 x 3 */

struct complex {
    double re, im;
};

static struct complex root[SIDE]; /* root[k]: e^(-2 pi i k / SIDE) */

static inline struct complex turn(int k, int n)
{
    struct complex c;
    __asm__("fsincos" : "=t"(c.re), "=u"(c.im) : "0"(-2 * 3.14159265358979323846 * k / n));
    return c;
}

/* Fill `root`. Before all else. */
static inline void make_roots(void)
{
    for (int k = 0; k < SIDE; k++)
        root[k] = turn(k, SIDE);
}

/* The points of a column, and its twiddles. */
static inline void make_column(struct complex *points, struct complex *twiddles, int column)
{
    for (int k = 0; k < SIDE; k++) {
        twiddles[k] = turn(column * k, SIDE * SIDE);
        points[k].re = (k * SIDE + column) * 7919 % 17 - 8;
        points[k].im = (k * SIDE + column) * 5003 % 13 - 6;
    }
}

static inline struct complex times(struct complex a, struct complex b)
{
    return (struct complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static inline struct complex plus(struct complex a, struct complex b)
{
    return (struct complex){ a.re + b.re, a.im + b.im };
}

/* Transform n = 3 * 2^k points, `stride` apart. */
static inline void transform(struct complex *to, const struct complex *from, int n, int stride)
{
    if (n == 3) {
        for (int k = 0; k < 3; k++) {
            struct complex sum = plus(from[0], times(from[stride], root[SIDE / 3 * k]));
            to[k] = plus(sum, times(from[2 * stride], root[SIDE / 3 * (2 * k % 3)]));
        }
        return;
    }
    transform(to, from, n / 2, 2 * stride);
    transform(to + n / 2, from + stride, n / 2, 2 * stride);
    for (int k = 0; k < n / 2; k++) {
        struct complex even = to[k], odd = times(to[k + n / 2], root[SIDE / n * k]);
        to[k] = plus(even, odd);
        to[k + n / 2] = (struct complex){ even.re - odd.re, even.im - odd.im };
    }
}

/* The first two steps of a column. */
static inline void transform_column(struct complex *to, const struct complex *points, const struct complex *twiddles)
{
    transform(to, points, SIDE, 1);
    for (int k = 0; k < SIDE; k++)
        to[k] = times(to[k], twiddles[k]);
}

/* Print some values of the first row, which another machine can compute. */
static inline void print_values(const struct complex *row)
{
    for (int k = 0; k < 4; k++)
        printf("fft: value %d is %.9e %.9e\n", 50 * k * SIDE, row[50 * k].re, row[50 * k].im);
}

#endif
