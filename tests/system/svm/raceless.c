/* SPDX-License-Identifier: MIT */
/*
 * raceless.c - random programs without races on shared pages of each model. arguments: [raceless, first seed, seeds,
 * phases, the rule that is broken]. All runs draw the same numbers from a seed, so each knows what all do, does its
 * own part of it on the pages, and all of it, one after the other, in its own memory. What it reads has to be the same.
 *
 * Cells are words and bytes that lie close together, so runs share pages and lines. In a phase a cell is written and
 * read by one run; or read by all; or added to by all under a lock; or passed on: the runs use it in turns, by acquire
 * and release. A barrier ends the phase. The last region then has another model, or is only read for a phase.
 */
#define PROGRAM "raceless"
#include <amalgam/scc.h>
#include <string.h>

#include "run.h"

#define PAGES   3u /* of a region */
#define PAGE    4096u
#define LINE    32u
#define WORDS   6u /* the cells of a line: so many words, then bytes */
#define IN_LINE (WORDS + LINE - 4 * WORDS)
#define IN_PAGE (2 * IN_LINE) /* the first line and the last one */
#define REGIONS 4u
#define CHANGES 3u /* the region that changes its model */
#define CELLS   (REGIONS * PAGES * IN_PAGE)
#define STEPS   40u /* of each run in a phase, and half as many in its turn */
#define LOCKS   5u
#define TURN    ((volatile uint32_t *)0xde100000) /* of its record's `shared`: kernel/include/process/chip.h */

static unsigned wrong;
static uint32_t expected[CELLS], turns;
static uint8_t *region[REGIONS];
static const char *broken = "";

static uint8_t role[CELLS]; /* the run that uses the cell in this phase, or: */
enum { READ, LOCKED, PASSED, ROLES };

static int keeps(const char *rule) { return strcmp(broken, rule) != 0; }

static void rest(unsigned ns) { amalgam_sleep_until((uint64_t)amalgam_clock() + ns); }

static int is_word(unsigned cell) { return cell % IN_LINE < WORDS; }

static uint32_t fit(unsigned cell, uint32_t value) { return is_word(cell) ? value : (uint8_t)value; }

static volatile void *place(unsigned cell)
{
    unsigned page = cell / IN_PAGE, k = cell % IN_LINE;
    unsigned at = cell % IN_PAGE < IN_LINE ? 0 : PAGE - LINE;
    return region[page / PAGES] + page % PAGES * PAGE + at + (k < WORDS ? 4 * k : 3 * WORDS + k);
}

static uint32_t load(unsigned cell)
{
    return is_word(cell) ? *(volatile uint32_t *)place(cell) : *(volatile uint8_t *)place(cell);
}

static void store(unsigned cell, uint32_t value)
{
    if (is_word(cell))
        *(volatile uint32_t *)place(cell) = value;
    else
        *(volatile uint8_t *)place(cell) = (uint8_t)value;
}

static uint32_t checked(unsigned cell)
{
    uint32_t found = load(cell);
    wrong += found != expected[cell];
    return found;
}

static int may_read(unsigned who, unsigned cell) { return role[cell] == who || role[cell] == n + READ; }

/* Run `who` makes a cell of itself and another one. */
static void compute(unsigned who, unsigned cell, unsigned other, uint32_t add)
{
    if (who == rank || (!keeps("owner") && (who + 1) % n == rank))
        store(cell, 3 * checked(cell) + checked(other) + add);
    expected[cell] = fit(cell, 3 * expected[cell] + expected[other] + add);
}

static void add_locked(unsigned who, unsigned cell, uint32_t add)
{
    if (who == rank) {
        if (keeps("lock"))
            must(amalgam_svm_lock(cell % LOCKS), "lock");
        uint32_t was = load(cell);
        rest(20000); /* others come to the lock */
        store(cell, was + add);
        if (keeps("lock"))
            must(amalgam_svm_unlock(cell % LOCKS), "unlock");
    }
    expected[cell] = fit(cell, expected[cell] + add);
}

static void step(void)
{
    unsigned cell = any(CELLS), other = any(CELLS), who = any(n), add = any(1000), pause = any(100000);
    if (role[cell] < n)
        who = role[cell];
    if (who == rank && pause % 8 == 0)
        rest(pause);
    if (role[cell] < n)
        compute(who, cell, may_read(who, other) ? other : cell, add);
    else if (role[cell] == n + LOCKED)
        add_locked(who, cell, add);
    else if (role[cell] == n + READ && who == rank)
        checked(cell);
}

static unsigned next_passed(unsigned cell)
{
    while (role[cell] != n + PASSED) /* there are some: each cell is one by 1 of 8 or so */
        cell = (cell + 1) % CELLS;
    return cell;
}

/* The turn's word is in memory that is not cached and orders nothing. A turn begins with the cell that the last one
 * ended with, and that only a release has brought to memory. Returns the next one's. */
static unsigned take_turn(unsigned who, unsigned cell)
{
    if (who == rank) {
        while (*TURN != turns)
            rest(50000);
        if (keeps("acquire"))
            must(amalgam_svm_acquire(), "acquire");
    }
    for (unsigned i = 0; i < STEPS / 2; i++) {
        unsigned other = any(CELLS), add = any(1000);
        cell = i ? next_passed(any(CELLS)) : cell;
        compute(who, cell, may_read(who, other) || role[other] == n + PASSED ? other : cell, add);
    }
    turns++;
    if (who == rank) {
        if (keeps("release"))
            must(amalgam_svm_release(), "release");
        *TURN = turns;
        rest(200000); /* the next one's turn is before this one's barrier, which releases, too */
    }
    return cell;
}

static void draw_roles(enum amalgam_svm_change model)
{
    for (unsigned cell = 0; cell < CELLS; cell++) {
        role[cell] = (uint8_t)any(n + ROLES);
        if (model == AMALGAM_SVM_CHANGE_READ_ONLY && cell / (PAGES * IN_PAGE) == CHANGES)
            role[cell] = (uint8_t)(n + READ);
    }
}

static void phase(void)
{
    for (unsigned i = 0; i < STEPS * n; i++)
        step();
    unsigned first = any(n), cell = next_passed(any(CELLS));
    for (unsigned i = 0; i < n; i++)
        cell = take_turn((first + i) % n, cell);
    must(amalgam_svm_barrier(), "barrier");
}

/* Compare what this run may read, while others go on with the next phase. */
static void compare(void)
{
    for (unsigned cell = 0; cell < CELLS; cell++)
        if (may_read(rank, cell))
            checked(cell);
}

static void run(uint32_t seed, unsigned phases)
{
    static const enum amalgam_svm_alloc models[] = { AMALGAM_SVM_ALLOC_STRONG, AMALGAM_SVM_ALLOC_LAZY,
                                                     AMALGAM_SVM_ALLOC_TWINS };
    static const enum amalgam_svm_change changes[] = { AMALGAM_SVM_CHANGE_STRONG, AMALGAM_SVM_CHANGE_LAZY,
                                                       AMALGAM_SVM_CHANGE_TWINS, AMALGAM_SVM_CHANGE_READ_ONLY };
    state = seed * 2654435761u | 1;
    wrong = 0;
    memset(expected, 0, sizeof(expected));
    for (unsigned i = 0; i < REGIONS; i++)
        region[i] = (uint8_t *)(uintptr_t)must(amalgam_svm_alloc(PAGES, models[i == CHANGES ? any(3) : i]), "alloc");
    draw_roles(AMALGAM_SVM_CHANGE_STRONG);
    for (unsigned i = 0; i < phases; i++) {
        phase();
        enum amalgam_svm_change next = changes[any(4)];
        must(amalgam_svm_change(region[CHANGES], next), "change");
        draw_roles(next);
        compare();
    }
    must(amalgam_svm_barrier(), "barrier"); /* from here on all may read all */
    uint32_t sum = 0;
    for (unsigned cell = 0; cell < CELLS; cell++)
        sum = 31 * sum + checked(cell);
    for (unsigned i = 0; i < REGIONS; i++)
        must(amalgam_svm_free(region[i]), "free");
    printf("raceless: seed %u phases %u wrong %u, sum %08x\n", (unsigned)seed, phases, wrong, (unsigned)sum);
}

int main(int argc, char **argv)
{
    unsigned number[] = { 1, 1, 4 };
    for (int i = 1; i < argc && i <= 3; i++)
        number[i - 1] = (unsigned)strtoul(argv[i], NULL, 10);
    broken = argc > 4 ? argv[4] : "";
    rank = (unsigned)must(amalgam_svm_rank(), "rank");
    n = (unsigned)must(amalgam_svm_members(), "members");
    for (unsigned seed = number[0]; seed < number[0] + number[1]; seed++)
        run(seed, number[2]);
    return 0;
}
