/* SPDX-License-Identifier: MIT */
/*
 * apps.c - three parallel programs by messages, one after the other, for bench/scc: what they compute does not depend
 * on the number of UEs, to the bit, and UE 0 prints Fletcher's sums of it, and what another machine can compute, too.
 *
 *   matmul  C = A B, of whole numbers, exact. Each UE has bands of rows; those of B go round in a ring.
 *   fft     one transform of SIDE x SIDE points by four steps (Bailey, 1990): of columns, twiddles, transposition (each
 *           UE sends a block to each other one), of rows.
 *   ep      NAS EP's pairs of normal deviates, in blocks whose sums are added in their order, brought together by a
 *           tree. Fewer pairs than its smallest class.
 *
 * Part p has mark 2 p + 1 before and mark 2 p + 2 behind it on each UE (docs/coherence.md, "Clocks"). Inputs and the
 * transform's twiddles are made before.
 */
#include <RCCE.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EDGE    144 /* of a matrix */
#define SIDE    192 /* 2^6 x 3 */
#define BLOCKS  192
#define PAIRS   320 /* of a block */
#define RINGS   10
#define MARK(n) __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (n)) : "memory", "cc")

struct complex {
    double re, im;
};
struct block {
    double x, y;
};

static int me, ues;

/* The first of n things that are UE u's. */
static int first(int u, int n) { return u * n / ues; }
static int many(int u, int n) { return first(u + 1, n) - first(u, n); }

static void *room(size_t bytes)
{
    void *at = calloc(1, bytes);
    if (!at)
        printf("apps: no memory for %u bytes\n", (unsigned)bytes), exit(1);
    return at;
}

static void round_to_53_bits(void)
{
    const uint16_t control = 0x27f;
    __asm__ volatile("fldcw %0" ::"m"(control));
}

/* A message out, one in. */
static void swap(void *out, size_t out_bytes, int to, void *in, size_t in_bytes, int from, int sends_first)
{
    if (sends_first)
        RCCE_send(out, out_bytes, to);
    RCCE_recv(in, in_bytes, from);
    if (!sends_first)
        RCCE_send(out, out_bytes, to);
}

/* Print Fletcher's sums of the words of all UEs, in their order. */
static void sums(const char *name, const void *data, size_t bytes)
{
    uint32_t sum[2] = { 0 };
    const uint32_t *word = data;
    if (me > 0)
        RCCE_recv((char *)sum, sizeof(sum), me - 1);
    for (size_t i = 0; i < bytes / sizeof(*word); i++) {
        sum[0] += word[i];
        sum[1] += sum[0];
    }
    if (ues > 1)
        RCCE_send((char *)sum, sizeof(sum), (me + 1) % ues);
    if (me == 0 && ues > 1)
        RCCE_recv((char *)sum, sizeof(sum), ues - 1);
    if (me == 0)
        printf("%s on %d UEs: sums %x %x\n", name, ues, (unsigned)sum[0], (unsigned)sum[1]);
}

static void multiply(double (*c)[EDGE], double (*a)[EDGE], double (*b)[EDGE], int owner)
{
    int from = first(owner, EDGE), rows = many(owner, EDGE);
    for (int i = 0; i < many(me, EDGE); i++)
        for (int k = 0; k < rows; k++) {
            double factor = a[i][from + k];
            for (int j = 0; j < EDGE; j++)
                c[i][j] += factor * b[k][j];
        }
}

static void matmul(void)
{
    size_t most = (EDGE / ues + 1) * sizeof(double[EDGE]);
    double(*a)[EDGE] = room(most), (*b[2])[EDGE] = { room(most), room(most) }, (*c)[EDGE] = room(most);
    for (int i = 0; i < many(me, EDGE); i++)
        for (int j = 0; j < EDGE; j++) {
            int row = first(me, EDGE) + i;
            a[i][j] = (row * 7 + j * 3) % 17;
            b[0][i][j] = (row * 5 + j * 11) % 13;
        }
    RCCE_barrier(&RCCE_COMM_WORLD);
    MARK(1);
    for (int step = 0; step < ues; step++) {
        int owner = (me + step) % ues, later = (owner + 1) % ues;
        multiply(c, a, b[step % 2], owner);
        if (step + 1 < ues)
            swap(b[step % 2], many(owner, EDGE) * sizeof(*c), (me + ues - 1) % ues, b[1 - step % 2],
                 many(later, EDGE) * sizeof(*c), (me + 1) % ues, me % 2 == 0);
    }
    MARK(2);
    RCCE_barrier(&RCCE_COMM_WORLD);
    sums("matmul", c, many(me, EDGE) * sizeof(*c));
}

static struct complex root[SIDE]; /* root[k]: e^(-2 pi i k / SIDE) */

static struct complex turn(int k, int n)
{
    struct complex c;
    __asm__("fsincos" : "=t"(c.re), "=u"(c.im) : "0"(-2 * 3.14159265358979323846 * k / n));
    return c;
}

static struct complex times(struct complex a, struct complex b)
{
    return (struct complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static struct complex plus(struct complex a, struct complex b) { return (struct complex){ a.re + b.re, a.im + b.im }; }

/* One of n = 3 * 2^k points, `stride` apart. */
static void transform(struct complex *to, const struct complex *from, int n, int stride)
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

/* Column c of all is row c of `from`, on its UE; row k of all is row k of `to`. A block to and from each UE. */
static void transpose(struct complex (*to)[SIDE], struct complex (*from)[SIDE], struct complex *out, struct complex *in)
{
    int own = many(me, SIDE);
    for (int step = 0; step < ues; step++) {
        int with = (step + ues - me) % ues, at = first(with, SIDE), theirs = many(with, SIDE);
        struct complex *o = out, *i = with == me ? out : in;
        for (int k = 0; k < theirs; k++)
            for (int c = 0; c < own; c++)
                *o++ = from[c][at + k];
        if (with != me)
            swap(out, own * theirs * sizeof(*out), with, in, own * theirs * sizeof(*in), with, me < with);
        for (int k = 0; k < own; k++)
            for (int c = 0; c < theirs; c++)
                to[k][at + c] = *i++;
    }
}

static void fft(void)
{
    int own = many(me, SIDE), from = first(me, SIDE);
    size_t bytes = own * sizeof(struct complex[SIDE]), block = own * (SIDE / ues + 1) * sizeof(struct complex);
    struct complex(*x)[SIDE] = room(bytes), (*y)[SIDE] = room(bytes), (*twiddle)[SIDE] = room(bytes);
    struct complex *out = room(block), *in = room(block);
    for (int k = 0; k < SIDE; k++)
        root[k] = turn(k, SIDE);
    for (int c = 0; c < own; c++)
        for (int k = 0; k < SIDE; k++) {
            twiddle[c][k] = turn((from + c) * k, SIDE * SIDE);
            x[c][k].re = (k * SIDE + from + c) * 7919 % 17 - 8;
            x[c][k].im = (k * SIDE + from + c) * 5003 % 13 - 6;
        }
    RCCE_barrier(&RCCE_COMM_WORLD);
    MARK(3);
    for (int c = 0; c < own; c++) {
        transform(y[c], x[c], SIDE, 1);
        for (int k = 0; k < SIDE; k++)
            y[c][k] = times(y[c][k], twiddle[c][k]);
    }
    transpose(x, y, out, in);
    for (int k = 0; k < own; k++)
        transform(y[k], x[k], SIDE, 1);
    MARK(4);
    RCCE_barrier(&RCCE_COMM_WORLD);
    sums("fft", y, bytes);
    for (int k = 0; k < 4 && me == 0; k++)
        printf("fft: value %d is %.9e %.9e\n", 50 * k * SIDE, y[0][50 * k].re, y[0][50 * k].im);
}

#define MASK ((1ull << 46) - 1)

static uint64_t power_of_5_13(uint32_t n)
{
    uint64_t result = 1;
    for (uint64_t factor = 1220703125; n; n /= 2, factor = factor * factor & MASK)
        if (n % 2)
            result = result * factor & MASK;
    return result;
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * 1220703125 & MASK;
    return (double)(int64_t)*seed * 0x1p-46;
}

static double root_of_log(double t)
{
    double log;
    __asm__("fyl2x" : "=t"(log) : "0"(t), "u"(0.69314718055994530942) : "st(1)");
    __asm__("fsqrt" : "=t"(log) : "0"(-2 * log / t));
    return log;
}

static void deviates(struct block *b, uint32_t count[RINGS], int number)
{
    uint64_t seed = 271828183 * power_of_5_13(2 * PAIRS * (uint32_t)number) & MASK;
    for (int i = 0; i < PAIRS; i++) {
        double x = 2 * uniform(&seed) - 1, y = 2 * uniform(&seed) - 1, t = x * x + y * y;
        if (t > 1)
            continue;
        double factor = root_of_log(t), ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
        count[(int)((ax > ay ? ax : ay) * factor)]++;
        b->x += x * factor;
        b->y += y * factor;
    }
}

/* All comes to UE 0: at each step half of those that are left send to the other half. */
static void gather(struct block *all, uint32_t count[RINGS])
{
    uint32_t more[RINGS];
    for (int step = 1; step < ues; step *= 2) {
        int next = me + step < ues ? me + step : ues, end = me + 2 * step < ues ? me + 2 * step : ues;
        struct block *own = &all[first(me, BLOCKS)], *theirs = &all[first(next, BLOCKS)],
                     *behind = &all[first(end, BLOCKS)];
        if (me % (2 * step)) {
            RCCE_send((char *)own, (size_t)(theirs - own) * sizeof(*own), me - step);
            RCCE_send((char *)count, sizeof(more), me - step);
            return;
        }
        if (next == ues)
            continue;
        RCCE_recv((char *)theirs, (size_t)(behind - theirs) * sizeof(*theirs), next);
        RCCE_recv((char *)more, sizeof(more), next);
        for (int i = 0; i < RINGS; i++)
            count[i] += more[i];
    }
}

static void ep(void)
{
    struct block *all = room(BLOCKS * sizeof(*all)), sum = { 0 };
    uint32_t count[RINGS] = { 0 };
    RCCE_barrier(&RCCE_COMM_WORLD);
    MARK(5);
    for (int b = first(me, BLOCKS); b < first(me + 1, BLOCKS); b++)
        deviates(&all[b], count, b);
    gather(all, count);
    for (int b = 0; b < BLOCKS && me == 0; b++) {
        sum.x += all[b].x;
        sum.y += all[b].y;
    }
    MARK(6);
    RCCE_barrier(&RCCE_COMM_WORLD);
    sums("ep", all, me ? 0 : BLOCKS * sizeof(*all));
    if (me == 0)
        printf("ep: sums %.12e %.12e, counts %u %u %u %u\n", sum.x, sum.y, (unsigned)count[0], (unsigned)count[1],
               (unsigned)count[2], (unsigned)count[3]);
}

int RCCE_APP(int argc, char **argv)
{
    if (RCCE_init(&argc, &argv))
        return 1;
    me = RCCE_ue();
    ues = RCCE_num_ues();
    round_to_53_bits();
    matmul();
    fft();
    ep();
    if (me == 0)
        printf("apps: done\n");
    RCCE_finalize();
    return 0;
}
