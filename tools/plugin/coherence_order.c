/* SPDX-License-Identifier: MIT */
/*
 * coherence_order.c - happens-before. A core learns of another core's versions in three ways only: by a doorbell that
 * it takes and that was rung after the clean, by a flag that it polls (invalidate-to-poll, then the load), and by a
 * word in a range flag=LO:HI, which is uncached. It is not enough that a value is right on this board, whose memory is
 * coherent: `unordered` does not depend on which core happens to run first.
 *
 * Doorbells: the address of ACLINT's MSWI and SSWI, and of the supervisor's IMSIC files of QEMU's board `virt`,
 * identifies the hart. That of the local APIC's command register does not, because a plugin sees no values: it rings
 * the core that a marker has named before, or all cores. A doorbell is taken by an access to sip, mip, scause or
 * mcause, by the first instruction after WFI or HLT, or by a store to the core's own MSWI word or to the APIC's EOI
 * register.
 *
 * A poll may load a flag before its writer has cleaned it, because on this board the store is visible at once. That is
 * right if the clean follows. If the writer waits before it cleans, the reader would never have seen the flag:
 * unflushed.
 */
#include "coherence.h"

#define MSWI     0x02000000ull
#define SSWI     0x02f00000ull
#define IMSIC_S  0x28000000ull
#define APIC     0xfee00000ull
#define APIC_EOI (APIC + 0xb0)
#define APIC_ICR (APIC + 0x300)

static uint64_t latest = 1, knows[CORES][CORES], rung[CORES][CORES];
static bool waiting[CORES]; /* the core has a doorbell that it has not taken */

/* The receivers that a core has named and not rung yet. An interrupt between the marker and the store may name and ring
 * another one, so the last name belongs to the next store. */
#define NAMES 4
static struct {
    unsigned n, to[NAMES];
} named[CORES];

/* The knowledge of the core that stored to the word last, at that time; NULL: no core has. */
struct flag_word {
    uint64_t *known;
};
static struct {
    uint64_t lo, hi;
    struct flag_word *words;
} flags[RANGES];
static unsigned n_flags;

struct early {
    struct line *line;
    uint64_t at, pc;
    unsigned reader;
};
static struct {
    struct early *v;
    size_t n, room;
} early[CORES]; /* by writer */

uint64_t order_next(void) { return ++latest; }

bool order_knows(unsigned core, unsigned writer, uint64_t version) { return knows[core][writer] >= version; }

void order_learn(unsigned core, unsigned writer, uint64_t version)
{
    if (knows[core][writer] >= version)
        return;
    knows[core][writer] = version;
    for (unsigned d = 0; d < n_cores; d++)
        if (d != writer && knows[core][d] < knows[writer][d])
            knows[core][d] = knows[writer][d];
}

void order_ring(unsigned core, unsigned first, unsigned last)
{
    knows[core][core] = latest;
    clock_ring(core, first, last);
    for (unsigned to = first; to <= last; to++) {
        waiting[to] = true;
        for (unsigned d = 0; d < n_cores; d++)
            if (rung[to][d] < knows[core][d])
                rung[to][d] = knows[core][d];
    }
}

void order_take(unsigned core)
{
    if (!waiting[core])
        return;
    waiting[core] = false;
    clock_take(core);
    for (unsigned d = 0; d < n_cores; d++)
        if (d != core && knows[core][d] < rung[core][d])
            knows[core][d] = rung[core][d];
}

void order_name(unsigned core, unsigned to)
{
    if (named[core].n < NAMES)
        named[core].to[named[core].n] = to;
    named[core].n++;
}

/* Find the cores that a store of `core` to the command register rings: all, if no marker has named one. */
static bool rung_by_apic(unsigned core, unsigned *first, unsigned *last)
{
    *first = 0, *last = CORES - 1;
    if (!named[core].n || --named[core].n >= NAMES)
        return true;
    *first = *last = named[core].to[named[core].n];
    return *first != core; /* a core need not be told of its own stores */
}

/* Returns whether the store is a doorbell, for cores *first to *last; first > last: it takes the storing core's
 * doorbells.
 */
bool order_is_doorbell(unsigned core, uint64_t at, unsigned *first, unsigned *last)
{
    uint64_t hart = CORES;
    if (at == APIC_ICR)
        return rung_by_apic(core, first, last);
    if (at >= MSWI && at < MSWI + 4 * CORES)
        hart = (at - MSWI) / 4;
    else if (at >= SSWI && at < SSWI + 4 * CORES)
        hart = (at - SSWI) / 4;
    else if (at >= IMSIC_S && at < IMSIC_S + 4096 * CORES)
        hart = (at - IMSIC_S) / 4096;
    if (hart < CORES)
        *first = *last = (unsigned)hart;
    else if (at == APIC_EOI)
        *first = 1, *last = 0;
    else
        return false;
    return true;
}

/* A core that loads a word learns what its writer knew at the time of the store, and nothing that the writer learned
 * later.
 */
static void take_word(const struct flag_word *w, unsigned core)
{
    for (unsigned d = 0; w->known && d < n_cores; d++)
        if (d != core && knows[core][d] < w->known[d])
            knows[core][d] = w->known[d];
}

static void store_word(struct flag_word *w, unsigned core)
{
    if (!w->known && !(w->known = calloc(CORES, sizeof(*w->known))))
        abort();
    memcpy(w->known, knows[core], sizeof(knows[core]));
    w->known[core] = latest;
}

void order_flag(unsigned core, uint64_t at, bool store)
{
    for (unsigned i = 0; i < n_flags; i++) {
        if (at < flags[i].lo || at >= flags[i].hi)
            continue;
        struct flag_word *w = &flags[i].words[(at - flags[i].lo) / 4];
        if (store)
            store_word(w, core);
        else
            take_word(w, core);
    }
}

bool order_option(const char *word)
{
    uint64_t lo, hi;
    if (sscanf(word, "flag=%" SCNx64 ":%" SCNx64, &lo, &hi) != 2 || lo >= hi || n_flags == RANGES)
        return false;
    flags[n_flags].lo = lo;
    flags[n_flags].hi = hi;
    flags[n_flags].words = calloc((hi - lo + 3) / 4, sizeof(struct flag_word));
    return flags[n_flags++].words != NULL;
}

void order_early(unsigned reader, unsigned writer, struct line *l, uint64_t at, uint64_t pc)
{
    order_learn(reader, writer, latest);
    for (size_t i = 0; i < early[writer].n; i++)
        if (early[writer].v[i].line == l && early[writer].v[i].reader == reader)
            return;
    if (early[writer].n == early[writer].room) {
        early[writer].room = early[writer].room * 2 + 8;
        early[writer].v = realloc(early[writer].v, early[writer].room * sizeof(struct early));
        if (!early[writer].v)
            abort();
    }
    early[writer].v[early[writer].n++] = (struct early){ l, at, pc, reader };
}

void order_cleaned(unsigned writer, struct line *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < early[writer].n; i++) {
        struct early *e = &early[writer].v[i];
        if (e->line != l) {
            early[writer].v[kept++] = *e;
            continue;
        }
        struct copy *k = line_copy(l, e->reader);
        order_learn(e->reader, writer, l->version);
        if (k->early && !k->dirty)
            k->version = 0; /* on real hardware the poll would have filled the copy after this clean */
        k->early = k->poll = false;
    }
    early[writer].n = kept;
}

void order_waits(unsigned writer)
{
    for (size_t i = 0; i < early[writer].n; i++) {
        const struct early *e = &early[writer].v[i];
        line_copy(e->line, e->reader)->early = false;
        report("unflushed", e->reader, e->pc, e->at, writer, line_copy(e->line, writer)->pc);
    }
    early[writer].n = 0;
}

void order_end(void)
{
    for (unsigned c = 0; c < n_cores; c++)
        order_waits(c);
}
