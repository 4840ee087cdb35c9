/* SPDX-License-Identifier: MIT */
/*
 * strongtables.c - a guest with a vCPU on each of several cores that changes its page tables on one and uses them on
 * the others: entries, a table that is replaced, pages that come when they are touched, that are copied when they are
 * written, bits that the processor sets in an entry, and spaces that go from vCPU to vCPU.
 *
 * Each frame has its number in its first word, so a load tells by which entry it was made. Half of the frames are pages
 * that each core has: what a vCPU has translated to one of the others ends when that page goes. What a vCPU changes
 * holds for another one from the end of its call on, or from the load of CR3 with another generation. The command line
 * says what is left out: `forget`, `generation`.
 */
#include "strong.h"

#define ROUNDS    6u
#define SLOTS     8u             /* pages of the window */
#define FRAMES    16u            /* of the shared pages, */
#define OWN       16u            /* of a core's own memory; both may be shown, */
#define SCRIBBLED (FRAMES + OWN) /* this one nobody shall see */
#define WINDOW    0x50000000u
#define PAGES     (FRAME + FRAMES)
#define DIRECTORY 4u /* shared pages: the directories of spaces, */
#define TABLE     8u /* their tables, */
#define OTHER     12u
#define FRAME     32u
#define TOUCHED   0x60u /* A and D */
#define WRITABLE  2u

struct words {
    struct meeting meeting;
    uint32_t round, kind;
    uint32_t shown[SLOTS], before[SLOTS]; /* the frame of each slot, now and before this round */
    uint32_t mapped, copied;
    uint32_t generation[4], space_shown[4][SLOTS];
};

static volatile struct words *const words = (volatile struct words *)MEETING;
static const char *left_out;
enum { ENTRIES, ON_DEMAND, ON_WRITE }; /* what a fault means */

static uint32_t own[OWN + 1][1024] __attribute__((aligned(PAGE)));
static uint32_t *table; /* of the window, in the space that all have */
static uint32_t *frame(uint32_t n) { return n < FRAMES ? shared_page(FRAME + n) : own[n - FRAMES]; }
static volatile uint32_t *slot(uint32_t i) { return (volatile uint32_t *)(WINDOW + i * PAGE); }
static uint32_t slot_of(uint32_t va) { return (va - WINDOW) / PAGE % SLOTS; }
static uint32_t entry_of(uint32_t n) { return (uint32_t)frame(n) | RIGHTS; }

static void forget_window(void)
{
    if (left_out[0] == 'f')
        amalgam_invlpg(WINDOW, SLOTS);
    else
        forget_all(WINDOW, SLOTS);
}

static void prepare(void)
{
    for (uint32_t n = 0; n < FRAMES; n++)
        frame(n)[0] = n;
    for (uint32_t i = 0; i < SLOTS; i++)
        shared_page(TABLE)[i] = entry_of(words->shown[i] = i);
    shared_page(0)[WINDOW >> 22] = (uint32_t)shared_page(TABLE) | RIGHTS;
}

/* --- one changes, the others look meanwhile, and see the one or the other --- */

static uint32_t another(uint32_t i, uint32_t round) { return (i * 3 + round * 5) % SCRIBBLED; }

static void look(uint32_t round)
{
    do
        for (uint32_t i = 0; i < SLOTS; i++) {
            uint32_t n = *slot(i);
            right(n == words->before[i] || n == words->shown[i]);
            pause();
        }
    while (words->round != round);
}

static void begin_round(bool mine, uint32_t round)
{
    for (uint32_t i = 0; mine && i < SLOTS; i++) {
        words->before[i] = words->shown[i];
        words->shown[i] = another(i, round);
    }
    meet();
    for (uint32_t i = 0; !mine && i < SLOTS; i++)
        right(*slot(i) == words->before[i]);
    meet();
}

static void end_round(bool mine, uint32_t round)
{
    if (mine)
        words->round = round;
    else
        look(round);
    for (uint32_t i = 0; i < SLOTS; i++)
        right(*slot(i) == words->shown[i]);
    meet();
}

static void entries(uint32_t round)
{
    bool mine = round % cpus == me;
    begin_round(mine, round);
    for (uint32_t i = 0; mine && i < SLOTS; i++)
        table[i] = entry_of(words->shown[i]);
    if (mine)
        forget_window();
    end_round(mine, round);
}

/* A new table in the place of the old one, which is used for something else as soon as nobody has it any more. */
static void tables(uint32_t round)
{
    uint32_t *next = table == shared_page(TABLE) ? shared_page(OTHER) : shared_page(TABLE);
    bool mine = round % cpus == me;
    begin_round(mine, round);
    for (uint32_t i = 0; mine && i < SLOTS; i++)
        next[i] = entry_of(words->shown[i]);
    if (mine) {
        shared_page(0)[WINDOW >> 22] = (uint32_t)next | RIGHTS;
        forget_window();
        for (uint32_t i = 0; i < SLOTS; i++)
            table[i] = entry_of(SCRIBBLED);
    }
    end_round(mine, round);
    table = next;
}

/* --- faults --- */

static void map_on_demand(uint32_t i)
{
    if (!(table[i] & 1)) {
        table[i] = entry_of(words->shown[i]);
        words->mapped++;
    }
}

static void copy_on_write(uint32_t i)
{
    if (table[i] & WRITABLE)
        return;
    uint32_t to = i + SLOTS;
    for (uint32_t word = 1; word <= cpus; word++)
        frame(to)[word] = slot(i)[word];
    table[i] = entry_of(to);
    forget_all(WINDOW + i * PAGE, 1);
    words->copied++;
}

static void handler(struct trap *t)
{
    uint32_t va = AMALGAM_SHARED(AMALGAM_SHARE_CR2);
    if (t->vector != 14 || va - WINDOW >= SLOTS * PAGE || words->kind == ENTRIES) {
        print("vCPU %u: trap %u error %x at %x, %x\n", me, t->vector, t->error, t->eip, va);
        ring1_off();
    }
    lock();
    if (words->kind == ON_DEMAND)
        map_on_demand(slot_of(va));
    else
        copy_on_write(slot_of(va));
    unlock();
}

/* One takes all pages away; who touches one first has it mapped. */
static void on_demand(uint32_t round)
{
    bool mine = round % cpus == me;
    begin_round(mine, round);
    if (mine) {
        words->kind = ON_DEMAND;
        for (uint32_t i = 0; i < SLOTS; i++)
            table[i] = 0;
        forget_window();
    }
    meet();
    for (uint32_t i = 0; i < SLOTS; i++)
        right(*slot((i + me) % SLOTS) == words->shown[(i + me) % SLOTS]);
    meet();
    words->kind = ENTRIES;
    meet();
}

/* One makes all pages read-only; who writes one first has a copy of it written, and all others use that. */
static void on_write(uint32_t round)
{
    bool mine = round % cpus == me;
    for (uint32_t i = 0; mine && i < SLOTS; i++)
        for (uint32_t word = 1; word <= cpus; word++)
            frame(i)[word] = frame(i + SLOTS)[word] = word;
    if (mine) {
        words->kind = ON_WRITE;
        for (uint32_t i = 0; i < SLOTS; i++)
            table[i] = entry_of(i) & ~WRITABLE;
        forget_window();
    }
    meet();
    for (uint32_t n = 0; n < SLOTS; n++) {
        uint32_t i = (n + me) % SLOTS;
        right(slot(i)[1 + me] == 1 + me);
        slot(i)[1 + me] += 0x100 + round;
    }
    meet();
    for (uint32_t i = 0; i < SLOTS; i++)
        for (uint32_t word = 1; word <= cpus; word++)
            right(slot(i)[word] == word + 0x100 + round && frame(i)[word] == word);
    meet();
    words->kind = ENTRIES;
    for (uint32_t i = 0; mine && i < SLOTS; i++)
        words->shown[i] = i + SLOTS;
    meet();
}

/* --- bits of an entry, of which each vCPU has one, and the processor two --- */

static void bits(uint32_t round)
{
    volatile uint32_t *entry = &table[round % SLOTS];
    uint32_t mine = 0x200u << me, had = *entry & mine;
    for (uint32_t i = 0; i < 5; i++) {
        __asm__ volatile("lock andl %1, %0" : "+m"(*entry) : "r"(~TOUCHED) : "memory");
        amalgam_invlpg(WINDOW, SLOTS);
        slot(round % SLOTS)[8 + me] = i;
        __asm__ volatile("lock xorl %1, %0" : "+m"(*entry) : "r"(mine) : "memory");
        had ^= mine;
        right((*entry & mine) == had);
    }
    meet();
    amalgam_invlpg(WINDOW, SLOTS);
    slot(round % SLOTS)[8 + me] = 5;
    meet();
    right((*entry & TOUCHED) == TOUCHED && *slot(round % SLOTS) == words->shown[round % SLOTS]);
    meet();
}

/* --- spaces: each vCPU has another one each round --- */

static uint32_t *space_table(uint32_t space) { return shared_page(TABLE + space); }

static void make_space(uint32_t space)
{
    uint32_t *directory = shared_page(DIRECTORY + space);
    for (uint32_t i = 0; i < 1024; i++)
        directory[i] = shared_page(0)[i];
    for (uint32_t i = 0; i < SLOTS; i++)
        space_table(space)[i] = entry_of(words->space_shown[space][i] = another(i, space));
    directory[WINDOW >> 22] = (uint32_t)space_table(space) | RIGHTS;
    words->generation[space] = 1;
}

static void spaces(uint32_t round)
{
    uint32_t space = (me + round) % cpus, at = (uint32_t)shared_page(DIRECTORY + space);
    amalgam_load_cr3(at, space + 1, words->generation[space]);
    for (uint32_t i = 0; i < SLOTS; i++)
        right(*slot(i) == words->space_shown[space][i]);
    for (uint32_t i = 0; i < SLOTS; i++)
        space_table(space)[i] = entry_of(words->space_shown[space][i] = another(i + space, round));
    if (left_out[0] != 'g')
        words->generation[space] += 1;
    amalgam_load_cr3(at, space + 1, words->generation[space]);
    for (uint32_t i = 0; i < SLOTS; i++)
        right(*slot(i) == words->space_shown[space][i]);
    meet();
}

int main(uint32_t boot)
{
    left_out = own_words(boot);
    strong_begin(boot, PAGES, handler, prepare);
    table = shared_page(TABLE);
    for (uint32_t n = FRAMES; n <= SCRIBBLED; n++)
        frame(n)[0] = n;
    meet();
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        entries(round);
        tables(round);
        on_demand(round);
        on_write(round);
        bits(round);
    }
    meet();
    table = shared_page(TABLE);
    make_space(me);
    meet();
    for (uint32_t round = 1; round <= ROUNDS; round++)
        spaces(round);
    amalgam_load_cr3(SHARED, 0, 0);
    strong_end();
    print("tables: %u vCPUs, %u rounds without %s: %u mapped, %u copied, %u wrong\n", cpus, ROUNDS, left_out,
          words->mapped, words->copied, words->meeting.wrong);
    ring1_off();
}
