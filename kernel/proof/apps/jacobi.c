/* SPDX-License-Identifier: MIT */
/* jacobi.c - Jacobi's iteration for a dense 128 x 128 system, the paper's floating-point load. */
#include "jacobi.h"

static double distance(double a, double b) { return __builtin_fabs(a - b); }

void jacobi_setup(struct jacobi *j)
{
    for (unsigned r = 0; r < JACOBI_N; r++) {
        double sum = 0, b = 0;
        for (unsigned c = 0; c < JACOBI_N; c++) {
            j->a[r][c] = r == c ? 0 : 1.0 / (1 + (r * 7 + c * 13) % 17);
            sum += j->a[r][c];
        }
        j->a[r][r] = 1.05 * sum;
        for (unsigned c = 0; c < JACOBI_N; c++)
            b += j->a[r][c] * (c + 1);
        j->b[r] = b;
        j->x[r] = 0;
    }
}

bool jacobi_step(struct jacobi *j)
{
    double moved = 0;
    for (unsigned r = 0; r < JACOBI_N; r++) {
        double sum = j->b[r];
        for (unsigned c = 0; c < JACOBI_N; c++)
            sum -= j->a[r][c] * j->x[c];
        j->next[r] = j->x[r] + sum / j->a[r][r];
        double d = distance(j->next[r], j->x[r]);
        moved = d > moved ? d : moved;
    }
    for (unsigned r = 0; r < JACOBI_N; r++)
        j->x[r] = j->next[r];
    return moved < 1e-9;
}

u64 jacobi_error_e9(const struct jacobi *j)
{
    double worst = 0;
    for (unsigned r = 0; r < JACOBI_N; r++) {
        double d = distance(j->x[r], r + 1);
        worst = d > worst ? d : worst;
    }
    return (u64)(s64)(worst * 1e9); /* the processor converts signed numbers */
}
