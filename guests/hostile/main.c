/* SPDX-License-Identifier: MIT */
/*
 * hostile - a guest that attacks the hypervisor with random steps, the same for the same seed.
 *   kind=priv|mmio|pio|msr|hypercall|virtq|pagetable|ipi|irq|user|all  seed=1  n=10000  report=1000  deadly=0
 *   xcr0=0 (1: priv may execute XSETBV)  storm=NAME (storm.c): one attack on time, for ever
 *
 * Steps come in blocks, whose random numbers depend only on seed, kind and block. An exception that a step raises is
 * skipped. The guest stores its progress in the non-volatile memory of the real-time clock. If the hypervisor stops a
 * run, the next run continues with the next block; `stops` counts such runs. On a bare board kind=pio ends early,
 * because random PCI configuration makes the RAM disappear.
 */
#include "hostile.h"

uint64_t seed;

uint64_t odd_number(void)
{
    static const uint64_t edges[] = { 0,
                                      1,
                                      2,
                                      0xfff,
                                      0x1000,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      0x7fffffffffff,
                                      0x800000000000,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      ~0ull };
    switch (below(4)) {
    case 0: return edges[below(sizeof(edges) / sizeof(edges[0]))] + below(5) - 2;
    case 1: return below(256);
    case 2: return rnd() & 0xffffffff;
    default: return rnd() >> below(64);
    }
}

uint64_t odd_address(void)
{
    static const uint64_t places[] = { 0xc0000000, 0xcffff000, 0xd0000000, 0xd0007000, 0xdffff000,  0xe0000000,
                                       0xe0700000, 0xfec00000, 0xfee00000, 0xfffff000, 0x100000000, 0xfd00000000 };
    if (one_in(3))
        return SINK + below(SINK_SIZE);
    if (one_in(8))
        return rnd() >> (12 + below(24));
    return places[below(sizeof(places) / sizeof(places[0]))] + below(0x2000);
}

static const struct {
    const char *name;
    int (*step)(void);
} kinds[] = {
    { "priv", step_priv },
    { "mmio", step_mmio },
    { "pio", step_pio },
    { "msr", step_msr },
    { "hypercall", step_hypercall },
    { "virtq", step_virtq },
    { "pagetable", step_pagetable },
    { "ipi", step_ipi },
    { "irq", step_irq },
    { "user", step_user },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void on_nmi(struct trap_frame *f) { (void)f; }

/* Breakpoints and single steps by random debug registers and flags: clear their cause and continue. */
static void on_debug(struct trap_frame *f)
{
    __asm__ volatile("mov %0, %%dr7" : : "r"(0x400ul));
    f->rflags = (f->rflags & ~(1ull << 8)) | 1ull << 16;
}

/* --- progress, kept over a restart ------------------------------------------------------------- */

#define BLOCK      64
#define SLOT(turn) (uint8_t)(0x40 + (turn) % 2 * 32)
#define MARK       0x5a17

/* Two copies that are written in turn: a run that is stopped while it writes one leaves the other intact. */
static struct progress {
    uint16_t mark, stops;
    uint32_t turn, kind, block, faults;
    uint32_t check;
} progress;

static uint32_t check_of(const struct progress *p)
{
    return ~(p->mark + p->stops + p->turn * 11 + p->kind * 3 + p->block * 5 + p->faults * 7);
}

static void write_slot(uint32_t turn, const struct progress *p)
{
    for (unsigned i = 0; i < sizeof(*p); i++) {
        outb(0x70, SLOT(turn) + i);
        outb(0x71, ((const uint8_t *)p)[i]);
    }
}

static bool read_slot(uint32_t turn, struct progress *p)
{
    for (unsigned i = 0; i < sizeof(*p); i++) {
        outb(0x70, SLOT(turn) + i);
        ((uint8_t *)p)[i] = inb(0x71);
    }
    return p->mark == MARK && p->check == check_of(p);
}

static void keep_progress(void)
{
    progress.mark = MARK;
    progress.turn++;
    progress.check = check_of(&progress);
    write_slot(progress.turn, &progress);
}

/* Read the progress. Returns true if an earlier run was stopped in the middle. */
static bool find_progress(void)
{
    struct progress slot[2];
    bool there[2] = { read_slot(0, &slot[0]), read_slot(1, &slot[1]) };
    if (!there[0] && !there[1])
        return false;
    progress = slot[there[1] && (!there[0] || (int32_t)(slot[1].turn - slot[0].turn) > 0)];
    return true;
}

static void forget_progress(void)
{
    static const struct progress none;
    write_slot(0, &none);
    write_slot(1, &none);
}

bool deadly(void)
{
    static uint64_t chance = ~0ull;
    if (chance == ~0ull)
        chance = arg_number("deadly", 0);
    return chance && one_in(chance);
}

/* Returns the seed of a block, by splitmix64, so that neighbouring blocks get unrelated numbers. */
static uint64_t seed_of(uint64_t first, unsigned kind, uint64_t block)
{
    uint64_t z = first + (block * N_KINDS + kind + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return z ? z : 1;
}

static void run(unsigned kind, uint64_t first, uint64_t n, uint64_t every)
{
    for (; progress.block * (uint64_t)BLOCK < n; progress.block++) {
        keep_progress();
        seed = seed_of(first, kind, progress.block);
        for (uint64_t i = progress.block * (uint64_t)BLOCK + 1; i <= n && i <= (progress.block + 1ull) * BLOCK; i++) {
            progress.faults += kinds[kind].step() != 0;
            if (i % every == 0)
                print("hostile: %s %lu steps, %u exceptions\n", kinds[kind].name, i, progress.faults);
        }
    }
    print("\nhostile: done %s %lu faults=%u stops=%u\n", kinds[kind].name, n, progress.faults, progress.stops);
}

/* Returns whether `list`, words separated by commas, has `name`. */
static bool wanted(const char *list, const char *name)
{
    for (const char *n; *list; list += *list == ',') {
        for (n = name; *n && *list == *n; n++)
            list++;
        if (!*n && (!*list || *list == ','))
            return true;
        while (*list && *list != ',')
            list++;
    }
    return text_equal(name, "");
}

void guest_main(void)
{
    char list[96];
    arg_text("kind", "all", list, sizeof(list));
    uint64_t first = arg_number("seed", 1), n = arg_number("n", 10000), every = arg_number("report", 1000);
    trap_install(1, on_debug);
    trap_install(2, on_nmi);
    apic_enable();
    irq_setup();
    user_setup();
    priv_setup();
    char name[16];
    arg_text("storm", "", name, sizeof(name));
    if (name[0])
        storm(name);
    if (find_progress()) {
        progress.stops++;
        progress.block++;
    }
    print("hostile: kind=%s seed=%lu n=%lu stops=%u\n", list, first, n, progress.stops);
    for (; progress.kind < N_KINDS; progress.kind++, progress.block = 0, progress.faults = 0)
        if (text_equal(list, "all") || wanted(list, kinds[progress.kind].name))
            run(progress.kind, first, n, every ? every : 1000);
    forget_progress();
    print("hostile: end stops=%u\n", progress.stops);
}
