/* SPDX-License-Identifier: MIT */
/*
 * bench_svm.c - measures page faults of shared virtual memory. Ranks 0 and 1 make one access every STEP_NS, in turn,
 * and all other cores sleep. So the ticks of an access are the instructions of the two cores concerned, one after the
 * other, where the board's counter counts instructions. They include the owner's instructions after its answer, so they
 * are not less than the critical path.
 */
#include <task/task.h>

#include <core/log.h>
#include <errors.h>
#include <hal/time.h>
#include <svm/svm.h>

#define PAGES   32u
#define STEP_NS 1000000ull
#define TIMES   8u /* that a page's words are stored between two releases */

struct shared {
    ticks_t start;
};

static void sleep_until(ticks_t then)
{
    while (time_now() < then && !task_stopping())
        thread_block(then);
}

/* Make an access. Returns its ticks. */
static u32 access(volatile u32 *word, bool write)
{
    ticks_t start = time_now();
    if (write)
        *word = 1;
    else
        *word;
    return (u32)(time_now() - start);
}

static void report(const struct task *t, const char *what, u32 *ticks, unsigned n)
{
    task_sort(ticks, n);
    task_print(t, "bench svm %s: %u times, least %u, median %u, most %u\n", what, n, ticks[0], ticks[n / 2],
               ticks[n - 1]);
}

/* Rank 0 makes the first access to each of `n` pages from `page` on. */
static void fault(const struct task *t, const char *what, u32 *page, unsigned n, ticks_t at)
{
    u32 ticks[PAGES];
    for (unsigned i = 0; i < n; i++) {
        sleep_until(at + i * time_from_ns(STEP_NS));
        ticks[i] = access(page + i * (PAGE_SIZE / sizeof(*page)), false);
    }
    report(t, what, ticks, n);
}

/* Rank 0 stores `times` times to one word of each page, or to all, and releases. The first access to each page and
 * what a release stores are in it. */
static void bench_svm_update(const struct task *t, const char *what, volatile u32 *page, unsigned words, unsigned times)
{
    struct svm_stats was, is;
    svm_stats(&was);
    ticks_t start = time_now();
    for (unsigned n = 0; n < times; n++)
        for (unsigned i = 0; i < PAGES; i++)
            for (unsigned w = 0; w < words; w++)
                page[i * (PAGE_SIZE / sizeof(*page)) + w] += n + w;
    svm_release();
    u32 ticks = (u32)(time_now() - start);
    svm_stats(&is);
    task_print(t, "bench svm %s: %u ticks, %u bytes merged\n", what, ticks, is.merged - was.merged);
    svm_acquire(); /* copies are forgotten */
}

static void updates(const struct task *t, volatile u32 *lazy, volatile u32 *twins)
{
    bench_svm_update(t, "lazy-sparse", lazy, 1, 1);
    bench_svm_update(t, "twins-sparse", twins, 1, 1);
    bench_svm_update(t, "lazy-dense", lazy, PAGE_SIZE / sizeof(*lazy), TIMES);
    bench_svm_update(t, "twins-dense", twins, PAGE_SIZE / sizeof(*twins), TIMES);
}

/* Ranks 0 and 1 write one page in turn. */
static void written(const struct task *t, u32 *page, unsigned rank, ticks_t at)
{
    u32 ticks[PAGES];
    for (unsigned i = 0; i < PAGES; i++) {
        sleep_until(at + (2 * i + rank) * time_from_ns(STEP_NS));
        ticks[i] = access(page, true);
    }
    report(t, "fault-written", ticks + 1, PAGES - 1); /* the first access may have been to the owner's own page */
}

static void bench_svm_run(struct task *t, unsigned which)
{
    unsigned rank = svm_rank(), n = svm_members();
    u32 *strong = svm_alloc(n * PAGES * PAGE_SIZE, SVM_STRONG),
        *lazy = strong ? svm_alloc(2 * PAGES * PAGE_SIZE, SVM_LAZY) : NULL;
    struct shared *s = (struct shared *)lazy; /* in its first page */
    u32 *twins = lazy ? svm_alloc(PAGES * PAGE_SIZE, SVM_TWINS) : NULL;
    if (!twins || n < 2) {
        task_print(t, "bench svm: error %d\n", twins ? -EINVAL : -ENOMEM);
        return;
    }
    if (rank == 0)
        s->start = time_after(20 * STEP_NS);
    int err = svm_barrier();
    ticks_t at = s->start, span = time_from_ns(STEP_NS) * (PAGES + 1);
    if (rank == 0 && !err) {
        fault(t, "fault-lazy", lazy + PAGES * (PAGE_SIZE / 4), PAGES, at);
        fault(t, "fault-strong", strong + PAGES * (PAGE_SIZE / 4), PAGES, at + span);
    }
    if (rank < 2 && !err)
        written(t, strong, rank, at + 2 * span);
    sleep_until(at + 5 * span);
    if (rank == 0 && !err)
        updates(t, lazy + PAGES * (PAGE_SIZE / 4), twins);
    err = svm_barrier();
    if (err)
        task_print(t, "bench svm: error %d\n", err);
}

TASK_APP(bench_svm, .number = APP_SVM_BENCH, .name = "svm-bench", .run = bench_svm_run);
