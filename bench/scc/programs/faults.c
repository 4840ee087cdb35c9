/* SPDX-License-Identifier: MIT */
/*
 * faults.c - what an access of a process to pages takes that it shares with a run on another core of an SCC: the first
 * one to a lazy page, to a strong page that the other run owns, and to one that the other run has just written
 * (bench/scc, docs/svm.md).
 *
 * Two runs make one access every STEP, in turn, and sleep in between. So the ticks of an access are the instructions of
 * the two cores concerned, one after the other, where the board's counter counts instructions.
 */
#include <amalgam/scc.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGES 32u
#define WORDS 1024u    /* of a page */
#define STEP  1000000u /* ns */

typedef volatile uint32_t page[WORDS];

static page *allocate(unsigned pages, enum amalgam_svm_alloc model)
{
    int64_t at = amalgam_svm_alloc(pages, model);
    if (at < 0) {
        printf("faults: error %d\n", (int)-at);
        exit(1);
    }
    return (page *)(uintptr_t)at;
}

static void barrier(void)
{
    int err = (int)amalgam_svm_barrier();
    if (err < 0) {
        printf("faults: error %d\n", -err);
        exit(1);
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, uint32_t *ticks, unsigned n)
{
    qsort(ticks, n, sizeof(*ticks), compare);
    printf("faults: %s: %u times, least %u, median %u, most %u\n", what, n, ticks[0], ticks[n / 2], ticks[n - 1]);
}

/* The first access to each page. */
static void first(const char *what, page *pages, uint64_t at)
{
    uint32_t ticks[PAGES];
    for (unsigned i = 0; i < PAGES; i++) {
        amalgam_sleep_until(at + i * (uint64_t)STEP);
        uint64_t start = __builtin_ia32_rdtsc();
        (void)pages[i][0];
        ticks[i] = (uint32_t)(__builtin_ia32_rdtsc() - start);
    }
    report(what, ticks, PAGES);
}

/* Both runs write one page in turn. */
static void written(page *one, unsigned rank, uint64_t at)
{
    uint32_t ticks[PAGES];
    for (unsigned i = 0; i < PAGES; i++) {
        amalgam_sleep_until(at + (2 * i + rank) * (uint64_t)STEP);
        uint64_t start = __builtin_ia32_rdtsc();
        one[0][0] = i;
        ticks[i] = (uint32_t)(__builtin_ia32_rdtsc() - start);
    }
    report("written", ticks + 1, PAGES - 1); /* the first access may have been to the run's own page */
}

int main(void)
{
    unsigned rank = (unsigned)amalgam_svm_rank();
    page *strong = allocate(2 * PAGES, AMALGAM_SVM_ALLOC_STRONG), *lazy = allocate(PAGES + 1, AMALGAM_SVM_ALLOC_LAZY);
    volatile uint64_t *start = (volatile uint64_t *)lazy[PAGES];
    if (!rank)
        *start = (uint64_t)amalgam_clock() + 20 * STEP;
    barrier();
    uint64_t at = *start, span = (PAGES + 1) * (uint64_t)STEP;
    if (!rank) {
        first("lazy", lazy, at);
        first("strong", strong + PAGES, at + span); /* its second half is the other run's at first */
    }
    written(strong, rank, at + 2 * span);
    barrier();
    return 0;
}
