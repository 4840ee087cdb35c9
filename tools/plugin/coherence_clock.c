/* SPDX-License-Identifier: MIT */
/*
 * coherence_clock.c - the critical path over shared lines. Each core has a clock that grows by its own instructions. A
 * store stamps its line with the storing core's clock; a load of a line that another core stored to last sets the
 * loading core's clock to the later of both, plus the cost of a fill (fill=N, 0 if not given), once for what was
 * stored. A doorbell carries the ringing core's clock to who takes it, without that cost.
 *
 * Lines are those of the ranges nc=, mpbt=, l2= and uc=. One counter serves all cores: what it grew by while a core had
 * its turn is that core's.
 */
#include "coherence.h"

uint64_t clock_all;
static uint64_t begun, own[CORES], lead[CORES], rung[CORES], fill_cost;
static unsigned turn;

void clock_turn(unsigned core)
{
    own[turn] += clock_all - begun;
    begun = clock_all;
    turn = core;
}

static uint64_t path(unsigned core)
{
    clock_turn(core); /* core has the turn, or all its instructions are counted */
    return own[core] + lead[core];
}

static void set_to(unsigned core, uint64_t then)
{
    uint64_t now = path(core);
    if (then > now)
        lead[core] += then - now;
}

void clock_store(struct line *l, unsigned core)
{
    l->stamp = path(core);
    l->stamper = (uint16_t)core;
    l->stores++;
}

void clock_load(struct line *l, unsigned core)
{
    struct copy *k = line_copy(l, core);
    if (l->stamper == core || k->taken == l->stores)
        return;
    k->taken = l->stores;
    set_to(core, l->stamp);
    lead[core] += fill_cost;
}

void clock_ring(unsigned core, unsigned first, unsigned last)
{
    uint64_t now = path(core);
    for (unsigned to = first; to <= last; to++)
        if (rung[to] < now)
            rung[to] = now;
}

void clock_take(unsigned core)
{
    set_to(core, rung[core]);
    rung[core] = 0;
}

void clock_mark(FILE *out, unsigned core, unsigned number)
{
    uint64_t now = path(core);
    fprintf(out, "mark %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", number, core, own[core], now, clock_all);
}

void clock_write(FILE *out)
{
    for (unsigned c = 0; c < n_cores; c++) {
        uint64_t now = path(c);
        fprintf(out, "core %u %" PRIu64 " %" PRIu64 "\n", c, own[c], now);
    }
}

bool clock_option(const char *word) { return sscanf(word, "fill=%" SCNu64, &fill_cost) == 1; }
