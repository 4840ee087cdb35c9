/* SPDX-License-Identifier: MIT */
/*
 * apps.c - three parallel programs by messages, one after the other, for bench/scc: what they compute (user/numeric/)
 * does not depend on the number of UEs, to the bit, and UE 0 prints Fletcher's sums of it, and what another machine can
 * compute, too.
 *
 *   matmul  Each UE has bands of rows; those of B go round in a ring.
 *   fft     Between columns and rows each UE sends a block to each other one.
 *   ep      The blocks' sums are brought together by a tree.
 *
 * Part p has mark 2 p + 1 before and mark 2 p + 2 behind it on each UE (docs/coherence.md, "Clocks"). Inputs and the
 * transform's twiddles are made before.
 */
#include <RCCE.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../../user/numeric/deviates.h"
#include "../../../../user/numeric/product.h"
#include "../../../../user/numeric/transform.h"
#include "../../../../user/numeric/x87.h"
#include "../../../../user/programs/mark.h"

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
    if (me > 0)
        RCCE_recv((char *)sum, sizeof(sum), me - 1);
    add_to_sums(sum, data, bytes);
    if (ues > 1)
        RCCE_send((char *)sum, sizeof(sum), (me + 1) % ues);
    if (me == 0 && ues > 1)
        RCCE_recv((char *)sum, sizeof(sum), ues - 1);
    if (me == 0)
        printf("%s on %d UEs: sums %x %x\n", name, ues, (unsigned)sum[0], (unsigned)sum[1]);
}

static void matmul(void)
{
    size_t most = (EDGE / ues + 1) * sizeof(double[EDGE]);
    double(*a)[EDGE] = room(most), (*b[2])[EDGE] = { room(most), room(most) }, (*c)[EDGE] = room(most);
    for (int i = 0; i < many(me, EDGE); i++)
        for (int j = 0; j < EDGE; j++) {
            int row = first(me, EDGE) + i;
            a[i][j] = value_of_a(row, j);
            b[0][i][j] = value_of_b(row, j);
        }
    RCCE_barrier(&RCCE_COMM_WORLD);
    MARK(1);
    for (int step = 0; step < ues; step++) {
        int owner = (me + step) % ues, later = (owner + 1) % ues;
        for (int i = 0; i < many(me, EDGE); i++)
            add_rows(c[i], a[i] + first(owner, EDGE), b[step % 2], many(owner, EDGE));
        if (step + 1 < ues)
            swap(b[step % 2], many(owner, EDGE) * sizeof(*c), (me + ues - 1) % ues, b[1 - step % 2],
                 many(later, EDGE) * sizeof(*c), (me + 1) % ues, me % 2 == 0);
    }
    MARK(2);
    RCCE_barrier(&RCCE_COMM_WORLD);
    sums("matmul", c, many(me, EDGE) * sizeof(*c));
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
    make_roots();
    for (int c = 0; c < own; c++)
        make_column(x[c], twiddle[c], from + c);
    RCCE_barrier(&RCCE_COMM_WORLD);
    MARK(3);
    for (int c = 0; c < own; c++)
        transform_column(y[c], x[c], twiddle[c]);
    transpose(x, y, out, in);
    for (int k = 0; k < own; k++)
        transform(y[k], x[k], SIDE, 1);
    MARK(4);
    RCCE_barrier(&RCCE_COMM_WORLD);
    sums("fft", y, bytes);
    if (me == 0)
        print_values(y[0]);
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
    if (me == 0)
        add_blocks(&sum, all, BLOCKS);
    MARK(6);
    RCCE_barrier(&RCCE_COMM_WORLD);
    sums("ep", all, me ? 0 : BLOCKS * sizeof(*all));
    if (me == 0)
        print_deviates(&sum, count);
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
