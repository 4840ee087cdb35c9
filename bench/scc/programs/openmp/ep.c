/* SPDX-License-Identifier: MIT */
/*
 * ep.c - NAS EP's pairs of normal deviates by OpenMP: the same as the third part of ../rcce/apps.c, to the
 * bit, since the first thread adds the blocks' sums in their order. It prints Fletcher's sums of these sums' words, and
 * what another machine can compute, too.
 *
 * Each thread executes mark 1 before and mark 2 after all (docs/coherence.md, "Clocks").
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

#include "../../../../user/numeric/deviates.h"
#include "../../../../user/numeric/x87.h"
#include "../../../../user/programs/mark.h"

static struct block all[BLOCKS];

int main(void)
{
    uint32_t sums[2] = { 0 }, count[RINGS] = { 0 };
    struct block sum = { 0 };
#pragma omp parallel
    {
        MARK(1);
#pragma omp for schedule(static) reduction(+ : count)
        for (int b = 0; b < BLOCKS; b++)
            deviates(&all[b], count, b);
#pragma omp master
        add_blocks(&sum, all, BLOCKS);
        MARK(2);
    }
    add_to_sums(sums, all, sizeof(all));
    printf("ep: on %d threads: sums %x %x\n", omp_get_max_threads(), (unsigned)sums[0], (unsigned)sums[1]);
    print_deviates(&sum, count);
    return 0;
}
