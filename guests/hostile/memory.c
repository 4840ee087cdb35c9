/* SPDX-License-Identifier: MIT */
/* memory.c - corrupt virtqueues (virtio 1.2, 2.7 and 4.2) and garbage page tables. */
#include "hostile.h"

#define SLOTS   8
#define SLOT(i) (0xd0000000ul + (i)*0x1000ul)
#define MAGIC   0x74726976
#define QUEUE   (SINK + 0x10000) /* rings at valid addresses */

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
};

static uintptr_t slot;

static void fill_queue(void)
{
    struct descriptor *d = (void *)QUEUE;
    for (unsigned i = 0; i < 16; i++)
        d[i] = (struct descriptor){
            .address = odd_address(), .length = odd_number(), .flags = below(16), .next = one_in(4) ? rnd() : below(17)
        };
    volatile uint16_t *avail = (void *)(QUEUE + 0x1000);
    avail[0] = below(4);
    avail[1] = one_in(2) ? rnd() : below(32);
    for (unsigned i = 0; i < 16; i++)
        avail[2 + i] = one_in(8) ? rnd() : below(16);
}

static void set_address(uint32_t reg, uint64_t right)
{
    uint64_t value = one_in(6) ? odd_address() : one_in(12) ? odd_number() : right;
    mmio_write(slot + reg, value);
    mmio_write(slot + reg + 4, value >> 32);
}

static void bring_up(void)
{
    mmio_write(slot + 0x70, 0);
    mmio_write(slot + 0x70, 1);
    mmio_write(slot + 0x70, 3);
    for (unsigned word = 0; word < 2; word++) {
        mmio_write(slot + 0x14, word);
        uint32_t offered = mmio_read(slot + 0x10);
        mmio_write(slot + 0x24, word);
        mmio_write(slot + 0x20, one_in(16) ? rnd() : word ? 1 : offered & rnd());
    }
    mmio_write(slot + 0x70, 11);
    for (unsigned q = 0; q < 2; q++) {
        mmio_write(slot + 0x30, one_in(16) ? odd_number() : q);
        mmio_write(slot + 0x38, one_in(6) ? odd_number() : 1u << below(5));
        set_address(0x80, QUEUE);
        set_address(0x90, QUEUE + 0x1000);
        set_address(0xa0, QUEUE + 0x2000);
        mmio_write(slot + 0x44, one_in(16) ? rnd() : 1);
    }
    mmio_write(slot + 0x70, one_in(16) ? rnd() : 15);
}

static void do_virtq(void *unused)
{
    (void)unused;
    if (one_in(4))
        bring_up();
    fill_queue();
    if (one_in(8))
        mmio_write(slot + (below(0x120) & ~3ull), odd_number());
    mmio_write(slot + 0x50, one_in(8) ? odd_number() : below(2));
    mmio_write(slot + 0x64, mmio_read(slot + 0x60));
}

int step_virtq(void)
{
    unsigned first = below(SLOTS);
    for (unsigned i = 0; i < SLOTS; i++) {
        slot = SLOT((first + i) % SLOTS);
        if (mmio_read(slot) == MAGIC && mmio_read(slot + 8) != 0)
            return guarded(do_virtq, NULL);
    }
    return 0; /* a machine without virtio */
}

/* --- page tables ------------------------------------------------------------------------ */
/*
 * A second top-level table shares entry 0 with the real one. Its other entries lead to tables in the sink, a few for
 * each level, with random entries: reserved bits, large pages where none may be, and addresses of tables, of devices or
 * of nothing. If a table, or CR3, is outside of RAM the processor's walk cannot read it, which ends this run.
 */
#define TABLES    (SINK + 0x100000)
#define PER_LEVEL 5

static uint64_t probe_at;

static void do_probe(void *write)
{
    if (write)
        *(volatile uint64_t *)probe_at = probe_at;
    else
        (void)*(volatile uint64_t *)probe_at;
}

static uint64_t *table(unsigned level, unsigned n)
{
    return (uint64_t *)(TABLES + ((level - 1) * PER_LEVEL + n + 1) * 0x1000ull);
}

/* Returns an entry for a table of `level`; level 1 maps pages. */
static uint64_t random_entry(unsigned level)
{
    uint64_t flags = (rnd() & 0xf7f) | (one_in(4) ? 0 : 1) | (one_in(8) ? rnd() & 0xfff0000000000000 : 0);
    if (level == 1 || (one_in(4) && (flags |= 0x80)))
        return (odd_address() & ~0xfffull) | flags;
    return (uintptr_t)table(level - 1, below(PER_LEVEL)) | flags;
}

static void probe(void)
{
    probe_at = (1 + below(255)) << 39 | (rnd() & 0x7ffffffff8);
    if (one_in(2))
        probe_at |= 0xffff800000000000;
}

static void wild_root(void *root)
{
    write_cr3((uintptr_t)root);
    do_probe(NULL);
}

int step_pagetable(void)
{
    extern uint64_t pml4[512];
    uint64_t *top = (uint64_t *)TABLES, old = read_cr3();
    for (unsigned i = 0; i < 64; i++) {
        unsigned level = 1 + below(3);
        table(level, below(PER_LEVEL))[below(512)] = random_entry(level);
    }
    for (unsigned i = 0; i < 8; i++)
        top[1 + below(511)] = random_entry(4);
    top[0] = pml4[0];
    if (deadly()) {
        top[1 + below(255)] = (odd_address() & ~0xfffull) | 7;
        if (one_in(2))
            return guarded(wild_root, (void *)odd_address());
    }
    write_cr3((uintptr_t)top);
    int faults = 0;
    for (unsigned i = 0; i < 4; i++) {
        probe();
        faults += guarded(do_probe, one_in(2) ? (void *)1 : NULL) != 0;
    }
    write_cr3(old);
    return faults;
}
