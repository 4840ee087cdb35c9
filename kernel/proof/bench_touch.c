/* SPDX-License-Identifier: MIT */
/*
 * bench_touch.c - measures what it takes to touch a page that was marked and is another core's, far away. Rank 0 makes
 * one access every STEP_NS while all other cores sleep, as in bench_svm.c. What copying a page takes alone is measured
 * beside it. Then rank 0 uses half of each page, and says what of the bytes that moved it needed.
 */
#include <task/task.h>

#include <core/frames.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/time.h>
#include <string.h>
#include <svm/migrate.h>

#define PAGES   32u /* that are touched, */
#define MARKED  48u /* of each member's that are marked */
#define WORDS   (PAGE_SIZE / sizeof(u32))
#define STEP_NS 1000000ull
#define START   20u /* steps before the first access: all others sleep by then */

static u32 copy_ticks(u8 *two)
{
    ticks_t start = time_now();
    memcpy(two, two + PAGE_SIZE, PAGE_SIZE);
    return (u32)(time_now() - start);
}

static void sleep_until(ticks_t then)
{
    while (time_now() < then && !task_stopping())
        thread_block(then);
}

static void touch(const struct task *t, volatile u32 *page)
{
    u32 ticks[PAGES], sum = 0;
    struct svm_stats was, is;
    ticks_t at = time_after(START * STEP_NS);
    svm_stats(&was);
    for (unsigned i = 0; i < PAGES; i++) {
        sleep_until(at += time_from_ns(STEP_NS));
        svm_mark_begin();
        ticks_t start = time_now();
        page[i * WORDS];
        ticks[i] = (u32)(time_now() - start);
        svm_mark_end();
    }
    svm_stats(&is);
    for (unsigned i = 0; i < PAGES; i++)
        for (unsigned w = 0; w < WORDS / 2; w++)
            sum += page[i * WORDS + w];
    task_sort(ticks, PAGES);
    task_print(t, "bench touch: %u times, least %u, median %u, most %u\n", PAGES, ticks[0], ticks[PAGES / 2],
               ticks[PAGES - 1]);
    task_print(t, "bench touch: %u bytes moved, %u needed, sum %u\n", (is.moved - was.moved) * (u32)PAGE_SIZE,
               PAGES * (u32)PAGE_SIZE / 2, sum);
}

static void bench_touch_run(struct task *t, unsigned which)
{
    unsigned n = svm_members(), rank = svm_rank();
    u32 *pages = svm_alloc(n * MARKED * PAGE_SIZE, SVM_STRONG), *last = pages + (n - 1) * MARKED * WORDS;
    u8 *own = pages_alloc(2);
    int err = pages && own && n > 1 ? 0 : -ENOMEM;
    if (!err && rank == n - 1)
        for (unsigned i = 0; i < MARKED * WORDS; i++)
            last[i] = 1;
    if (!err)
        err = svm_next_touch(pages);
    if (!err && rank == 0) {
        task_print(t, "bench touch: a copy alone %u\n", copy_ticks(own));
        touch(t, last);
    } else if (!err) {
        sleep_until(time_after(2 * (START + PAGES) * STEP_NS)); /* who waits for a barrier would look */
    }
    if (!err)
        err = svm_barrier();
    if (err)
        task_print(t, "bench touch: error %d\n", err);
    if (own)
        frames_free(virt_to_phys(own), 2);
}

TASK_APP(bench_touch, .number = APP_SVM_TOUCH_BENCH, .name = "svm-touch-bench", .run = bench_touch_run);
