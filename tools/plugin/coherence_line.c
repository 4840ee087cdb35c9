/* SPDX-License-Identifier: MIT */
/*
 * coherence_line.c - the model of the caches, line by line. Caches are unlimited and do not prefetch, so their contents
 * depend on the program only. A filled copy keeps its bytes until it is invalidated; written bytes stay in the copy
 * until they are cleaned. The reports:
 *
 * - unflushed: a load of bytes that another core has written and not cleaned
 * - stale: a load from a copy that is older than what another core has brought to memory since
 * - unordered: a load of bytes that are in memory, without a doorbell or a flag after the clean that told the reader
 * - shared: a store to a line that another core holds dirty
 * - lost: a clean of a line that lacks bytes that another core has brought to memory: the write-back overwrites them
 * - discard: an invalidate of a line that this core holds dirty
 */
#include "coherence.h"

unsigned line_size = 64, n_cores = 1;
uint64_t lines_filled, lines_cleaned;

static struct {
    struct line **v;
    size_t n, room;
} dirty[CORES]; /* lines that a core may hold dirty */
static uint32_t epochs[CORES];

/* Returns the epoch of the core's copies that are valid now; MPBT lines have separate numbers. */
static uint32_t epoch(unsigned core, bool mpbt) { return mpbt ? mpbt_epoch(core) * 2 + 1 : epochs[core] * 2; }

struct copy *line_copy(struct line *l, unsigned core) { return &l->copies[core - l->from]; }

bool line_valid(struct line *l, unsigned core, bool mpbt)
{
    const struct copy *k = line_copy(l, core);
    return k->version && k->epoch == epoch(core, mpbt);
}

static void *grown(void *old, size_t bytes)
{
    void *p = realloc(old, bytes);
    if (!p) {
        fprintf(stderr, "coherence: out of memory\n");
        exit(1);
    }
    return p;
}

static struct line *line_at(struct range *r, uint64_t at)
{
    struct line **slot = &r->lines[(at - (r->lo & -(uint64_t)line_size)) / line_size];
    if (!*slot) {
        size_t bytes = sizeof(**slot) + (r->to - r->from + 1) * sizeof(struct copy);
        *slot = memset(grown(NULL, bytes), 0, bytes);
        (*slot)->version = 1;
        (*slot)->at = at;
        (*slot)->from = (uint16_t)r->from;
        (*slot)->to = (uint16_t)r->to;
    }
    return *slot;
}

static void fill(struct line *l, unsigned core, bool mpbt)
{
    struct copy *k = line_copy(l, core);
    if (line_valid(l, core, mpbt))
        return;
    k->version = l->version;
    k->epoch = epoch(core, mpbt);
    k->early = false;
    k->polled = k->poll;
    lines_filled++;
}

void line_write_back(struct line *l, unsigned core)
{
    struct copy *k = line_copy(l, core);
    l->version = order_next();
    for (unsigned b = 0; b < line_size; b++) {
        if (!(k->dirty >> b & 1))
            continue;
        l->byte_version[b] = l->version;
        l->writer[b] = (uint16_t)core;
        l->byte_pc[b] = k->pc;
    }
    k->dirty = 0;
    l->n_dirty--;
    order_cleaned(core, l);
}

static void clean(struct line *l, unsigned core, uint64_t pc)
{
    struct copy *k = line_copy(l, core);
    if (!line_valid(l, core, false) || !k->dirty)
        return;
    for (unsigned b = 0; b < line_size && k->version < l->version; b++)
        if (l->byte_version[b] > k->version && l->writer[b] != core) {
            report("lost", core, pc, l->at + b, l->writer[b], l->byte_pc[b]);
            break;
        }
    line_write_back(l, core);
    lines_cleaned++;
    k->version = l->version; /* the whole line was written */
}

static void invalidate(struct line *l, unsigned core, uint64_t pc)
{
    struct copy *k = line_copy(l, core);
    if (line_valid(l, core, false) && k->dirty) {
        report("discard", core, pc, l->at, core, k->pc);
        l->n_dirty--;
    }
    *k = (struct copy){ .taken = k->taken, .used = k->used, .listed = k->listed };
}

static void load(struct line *l, unsigned core, enum type type, uint64_t pc, uint64_t at, uint64_t mask)
{
    struct copy *k = line_copy(l, core);
    bool polled = k->poll || k->early;
    uint64_t version = type == UNCACHED ? l->version : k->version;
    mask &= ~k->dirty;
    unsigned others = l->n_dirty - (k->dirty != 0);
    for (unsigned d = l->from; others; d++) {
        struct copy *o = line_copy(l, d);
        others -= d != core && o->dirty;
        if (d == core || !(o->dirty & mask))
            continue;
        if (!polled)
            report("unflushed", core, pc, at, d, o->pc);
        else if (!k->early)
            order_early(core, d, l, at, pc);
        k->early = k->early || polled;
    }
    if (k->early) /* the reader has the bytes that the writer cleans now */
        return;
    const char *what = NULL;
    unsigned first = 0;
    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned b = (unsigned)__builtin_ctzll(left), d = l->writer[b];
        if (!l->byte_version[b] || d == core)
            continue;
        const char *wrong = l->byte_version[b] > version ? "stale" : NULL;
        if (!wrong && (k->poll || k->polled))
            order_learn(core, d, l->byte_version[b]);
        else if (!wrong && !order_knows(core, d, l->byte_version[b]))
            wrong = "unordered";
        if (wrong && !what) {
            what = wrong;
            first = b;
        }
    }
    if (what)
        report(what, core, pc, at, l->writer[first], l->byte_pc[first]);
    k->poll = false;
}

static void remember_dirty(struct line *l, unsigned core)
{
    l->n_dirty++;
    if (line_copy(l, core)->listed)
        return;
    line_copy(l, core)->listed = true;
    if (dirty[core].n == dirty[core].room) {
        dirty[core].room = dirty[core].room * 2 + 64;
        dirty[core].v = grown(dirty[core].v, dirty[core].room * sizeof(struct line *));
    }
    dirty[core].v[dirty[core].n++] = l;
}

static void store(struct line *l, unsigned core, enum type type, uint64_t pc, uint64_t at, uint64_t mask)
{
    struct copy *k = line_copy(l, core);
    if (type == MPBT) {
        mpbt_store(l, core, mask, pc);
        return;
    }
    for (unsigned d = l->from; type != UNCACHED && !k->dirty && l->n_dirty && d <= l->to; d++)
        if (d != core && line_copy(l, d)->dirty)
            report("shared", core, pc, at, d, line_copy(l, d)->pc);
    if (type == UNCACHED)
        l->n_dirty += !k->dirty;
    else if (!k->dirty)
        remember_dirty(l, core);
    k->dirty |= mask;
    k->pc = pc;
    if (type == UNCACHED)
        line_write_back(l, core);
}

void line_access(struct range *r, unsigned core, enum type type, uint64_t pc, uint64_t at, unsigned size, bool stores)
{
    while (size) {
        uint64_t base = at & -(uint64_t)line_size;
        unsigned offset = (unsigned)(at - base), n = size < line_size - offset ? size : line_size - offset;
        uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << offset;
        struct line *l = line_at(r, base);
        if (type != UNCACHED && !(type == MPBT && stores))
            fill(l, core, type == MPBT);
        if (stores)
            store(l, core, type, pc, at, mask);
        else
            load(l, core, type, pc, at, mask);
        (stores ? clock_store : clock_load)(l, core, mask);
        at += n;
        size -= n;
    }
}

void line_operate(struct range *r, unsigned core, enum type type, unsigned operation, uint64_t pc, uint64_t at)
{
    struct line *l = line_at(r, at & -(uint64_t)line_size);
    if (operation == INVALIDATE_TO_POLL)
        order_waits(core);
    if (type == WRITE_BACK && operation & CLEAN)
        clean(l, core, pc);
    if (type == WRITE_BACK && operation & (INVALIDATE | INVALIDATE_TO_POLL))
        invalidate(l, core, pc);
    if (operation == INVALIDATE_TO_POLL)
        line_copy(l, core)->poll = true;
}

void line_leave_page(struct range *r, unsigned core, uint64_t at)
{
    uint64_t from = at & -(uint64_t)PAGE, to = from + PAGE, base = r->lo & -(uint64_t)line_size;
    for (uint64_t line = from > base ? from : base; line < to && line < r->hi; line += line_size) {
        struct line *l = r->lines[(line - base) / line_size];
        if (l)
            clock_leave(l, core);
    }
}

void line_operate_all(unsigned core, unsigned operation, uint64_t pc)
{
    for (size_t i = 0; i < dirty[core].n; i++) {
        if (operation & CLEAN)
            clean(dirty[core].v[i], core, pc);
        else if (line_copy(dirty[core].v[i], core)->dirty)
            invalidate(dirty[core].v[i], core, pc);
        line_copy(dirty[core].v[i], core)->listed = false;
    }
    dirty[core].n = 0;
    if (operation & INVALIDATE)
        epochs[core]++;
}
