/* SPDX-License-Identifier: MIT */
/*
 * coherence_clock.c - the critical path over shared lines. Each core has a clock that grows by its own instructions. A
 * store stamps its bytes with the storing core's clock; a load of a byte that another core stored to last sets the
 * loading core's clock to the later of both, plus the cost of a fill (fill=N, 0 if not given; coherence_mesh.c has
 * costs by distance), once for what was stored in the line. An instruction that sets bits without reading the others
 * (LOCK OR) takes no clock. A doorbell carries the clock of the core that rings to the core that takes it, without the
 * cost of a fill.
 *
 * It also counts how many lines each core took from each other core.
 *
 * Lines are those of the ranges nc=, mpbt=, l2= and uc=. One counter is enough for all cores: its increase while a core
 * has its turn belongs to that core.
 *
 * A core that is interrupted to serve another one has a second clock meanwhile, because its work does not wait for the
 * core that asks. Markers of the program say where a service begins and ends. A service begins when it was asked for,
 * but not before the core's last service has ended. Its instructions also delay the core's work by their number. Three
 * things join the two clocks: a load of a byte that the other one of the two stored to last; a service that says that
 * the work waits for it; and a page that a service takes away from the work, which is not before the work's last access
 * to it.
 *
 * The emulator lets a core run until it waits, so of two accesses the one that is later by the clocks may be executed
 * first. The consequences of the order of execution are counted as if that order were necessary.
 */
#include "coherence.h"
#include "coherence_mesh.h"

uint64_t clock_all;
static uint64_t begun, fill_cost, lines_taken;
static unsigned turn;
static bool blind;
static uint32_t taken[CORES]
                     [CORES]; /* lines that a core [first index] took from the core that had stored to them last */

static struct core_clock {
    uint64_t own, lead; /* the clock is their sum modulo 2^64, because a service's lead may be negative */
    uint64_t rung;      /* clock of the last ring that was not taken; 0: none */
    struct {
        unsigned depth;
        bool awaited;
        uint64_t end, work_lead;
    } service;
    struct {
        uint64_t ring, own, before, after; /* the ring that ended a sleep; the core's lead before and after that */
    } woken;
} clocks[CORES];

void clock_turn(unsigned core)
{
    clocks[turn].own += clock_all - begun;
    begun = clock_all;
    turn = core;
}

static uint64_t path(unsigned core)
{
    clock_turn(core); /* counts the core's instructions up to now */
    return clocks[core].own + clocks[core].lead;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void set_to(unsigned core, uint64_t then)
{
    uint64_t now = path(core);
    clocks[core].lead += later(now, then) - now;
}

static bool serves(unsigned core) { return clocks[core].service.depth != 0; }

void clock_store(struct line *l, unsigned core, uint64_t mask)
{
    struct stamp now = { path(core), (uint16_t)core, serves(core) };
    struct copy *k = line_copy(l, core);
    for (uint64_t left = mask; left; left &= left - 1)
        l->stamps[__builtin_ctzll(left)] = now;
    l->stores++;
    k->used = later(k->used, now.clock);
}

void clock_blind(bool on) { blind = on; }

void clock_load(struct line *l, unsigned core, uint64_t mask)
{
    struct copy *k = line_copy(l, core);
    unsigned from = core; /* another core that stored to a byte last */
    for (uint64_t left = blind ? 0 : mask; left; left &= left - 1) {
        const struct stamp *s = &l->stamps[__builtin_ctzll(left)];
        if (s->core == core && s->by_service == serves(core))
            continue;
        set_to(core, s->clock);
        if (s->clock && from == core)
            from = s->core;
    }
    if (from != core && k->taken != l->stores) {
        k->taken = l->stores;
        taken[core][from]++;
        lines_taken++;
        uint64_t cost = mesh_fill(core, l->at + (unsigned)__builtin_ctzll(mask), fill_cost);
        clocks[core].lead += cost;
        clocks[core].service.work_lead += cost;
    }
    k->used = later(k->used, path(core));
}

void clock_leave(struct line *l, unsigned core) { set_to(core, line_copy(l, core)->used); }

void clock_ring(unsigned core, unsigned first, unsigned last)
{
    uint64_t now = path(core);
    for (unsigned to = first; to <= last; to++)
        clocks[to].rung = later(clocks[to].rung, now);
}

void clock_take(unsigned core)
{
    set_to(core, clocks[core].rung);
    clocks[core].rung = 0;
}

void clock_wake(unsigned core)
{
    struct core_clock *c = &clocks[core];
    uint64_t now = path(core);
    c->woken.ring = c->rung;
    c->woken.own = c->own;
    c->woken.before = c->lead;
    c->woken.after = c->lead + later(now, c->rung) - now;
}

/* Returns when the service was asked for. If the ring ended a sleep it has set the core's clock; this is undone,
 * because the sleeping work need not have waited for it. */
static uint64_t asked(struct core_clock *c)
{
    if (c->rung || !c->woken.ring || c->woken.after != c->lead)
        return c->rung;
    c->lead = c->woken.before;
    return c->woken.ring + c->own - c->woken.own;
}

void clock_serve(unsigned core)
{
    struct core_clock *c = &clocks[core];
    clock_turn(core);
    if (c->service.depth++)
        return;
    uint64_t begin = later(asked(c), c->service.end);
    c->rung = c->woken.ring = 0;
    c->service.awaited = false;
    c->service.work_lead = c->lead;
    c->lead = begin - c->own;
}

void clock_served(unsigned core)
{
    struct core_clock *c = &clocks[core];
    if (!serves(core) || --c->service.depth)
        return;
    c->service.end = path(core);
    c->lead = c->service.work_lead;
    if (c->service.awaited)
        set_to(core, c->service.end);
}

void clock_awaited(unsigned core) { clocks[core].service.awaited = true; }

void clock_mark(FILE *out, unsigned core, unsigned number)
{
    uint64_t now = path(core);
    fprintf(out, "mark %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", number, core,
            clocks[core].own, now, clock_all, lines_filled, lines_cleaned, lines_taken);
}

void clock_write(FILE *out)
{
    for (unsigned c = 0; c < n_cores; c++) {
        uint64_t now = path(c);
        fprintf(out, "core %u %" PRIu64 " %" PRIu64 "\n", c, clocks[c].own, now);
        for (unsigned from = 0; from < n_cores; from++)
            if (taken[c][from])
                fprintf(out, "took %u %u %u\n", c, from, taken[c][from]);
    }
}

bool clock_option(const char *word, unsigned cores)
{
    return sscanf(word, "fill=%" SCNu64, &fill_cost) == 1 || mesh_option(word, cores);
}
