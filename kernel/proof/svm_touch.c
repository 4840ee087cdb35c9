/* SPDX-License-Identifier: MIT */
/*
 * svm_touch.c - tests that pages move near who uses them, and what they contain then (svm/migrate.h). Useful with cores
 * of two quadrants, two of them in one.
 *
 * Next touch: each rank touches the pages of the one after it. By call: each takes the pages of the one before it,
 * writes a line of each, and has them moved. Hot: the last two ranks pass messages in pages that rank 0 had first.
 */
#include "svm_messages.h"

#include <svm/migrate.h>

#define PAGES  4u /* of each rank */
#define WORDS  (PAGE_SIZE / sizeof(u32))
#define ROUNDS 12u

struct check {
    u32 *pages; /* PAGES of each rank, strong */
    unsigned rank, n;
    unsigned wrong; /* words, places or answers */
};

static u32 *part(const struct check *c, unsigned rank) { return c->pages + rank % c->n * PAGES * WORDS; }
static u32 word_of(unsigned rank, unsigned i) { return (rank + 1) << 20 | i; }

static void write_part(const struct check *c)
{
    u32 *words = part(c, c->rank);
    for (unsigned i = 0; i < PAGES * WORDS; i++)
        words[i] = word_of(c->rank, i);
}

/* The part of a rank, which this core has touched: its contents, where `changed` words of each page are another rank's
 * value, and its place. */
static void check_part(struct check *c, unsigned rank, unsigned changed)
{
    const u32 *words = part(c, rank);
    for (unsigned i = 0; i < PAGES * WORDS; i++)
        c->wrong += words[i] != (i % WORDS < changed ? c->rank : word_of(rank % c->n, i));
    for (unsigned page = 0; page < PAGES; page++)
        c->wrong += svm_where(words + page * WORDS) != (int)svm_here();
}

static void wrong_calls(struct check *c, u32 *lazy)
{
    c->wrong += svm_next_touch(lazy) != -EINVAL;
    c->wrong += svm_next_touch(c->pages + 1) != -EINVAL;
    c->wrong += svm_next_touch(c->rank ? c->pages : lazy) != -EINVAL; /* members differ */
    c->wrong += svm_move(lazy, PAGE_SIZE) != -EINVAL;
    c->wrong += svm_move(c->pages, c->n * PAGES * PAGE_SIZE + 1) != -EINVAL;
    c->wrong += svm_move(c->pages + 1, ~0u) != -EINVAL;
    c->wrong += svm_where((void *)(SVM_BASE + SVM_SIZE)) != -EINVAL || svm_where(NULL) != -EINVAL;
}

/* Twice: the second time the pages are near already. */
static int next_touch(struct check *c)
{
    write_part(c);
    int err = svm_barrier();
    for (unsigned time = 0; time < 2 && !err; time++) {
        err = svm_next_touch(c->pages);
        if (!err)
            check_part(c, c->rank + 1, 0);
    }
    return err ? err : svm_barrier();
}

static int move(struct check *c)
{
    u32 *words = part(c, c->rank + c->n - 1);
    for (unsigned i = 0; i < PAGES * WORDS; i += WORDS)
        for (unsigned w = 0; w < STRIDE; w++)
            words[i + w] = c->rank;
    int err = svm_move(words, PAGES * PAGE_SIZE);
    if (!err)
        check_part(c, c->rank + c->n - 1, STRIDE);
    return err ? err : svm_barrier();
}

static int hot(struct check *c)
{
    unsigned side = c->rank + 2 - c->n; /* of the last two */
    u32 *data = part(c, 0), *flag = data + WORDS;
    int err = 0;
    if (c->rank == 0) {
        *data = *flag = 0;
        err = svm_move(data, 2 * PAGE_SIZE);
    }
    if (!err)
        err = svm_barrier();
    if (!err && side < 2)
        err = pass_messages(side, data, flag, 2 * ROUNDS, &c->wrong);
    return err ? err : svm_barrier();
}

static void svm_touch_run(struct task *t, unsigned which)
{
    struct check c = { .rank = svm_rank(), .n = svm_members() };
    struct svm_stats s[4] = { 0 };
    c.pages = svm_alloc(c.n * PAGES * PAGE_SIZE, SVM_STRONG);
    u32 *lazy = c.pages ? svm_alloc(PAGE_SIZE, SVM_LAZY) : NULL;
    int err = lazy ? 0 : -ENOMEM;
    if (!err)
        wrong_calls(&c, lazy);
    static int (*const step[])(struct check *) = { next_touch, move, hot };
    for (unsigned i = 0; i < ARRAY_SIZE(step) && !err; i++) {
        err = step[i](&c);
        svm_stats(&s[i + 1]);
    }
    if (err)
        task_print(t, "touch: error %d\n", err);
    else
        task_print(t, "touch: rank %u at controller %u: %u wrong; moved %u at the next touch, %u by call, %u hot\n",
                   c.rank, svm_here(), c.wrong, s[1].moved, s[2].moved - s[1].moved, s[3].moved - s[2].moved);
}

TASK_APP(svm_touch, .number = APP_SVM_TOUCH, .name = "svm-touch", .run = svm_touch_run);
