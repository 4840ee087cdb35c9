/* SPDX-License-Identifier: MIT */
/*
 * svm_publish.c - tests what a page that is written once has when its writing ends: the last line that the writer
 * stored to it must be among it, though the writer has stored to nothing else since.
 *
 * Rank 0 writes a page, and rank 1 reads it STEP_NS later. They agree on the time beforehand and by nothing else: each
 * store and call that could be a signal would drain the page's last line, too. While it waits, rank 0 touches no page.
 */
#include "svm_messages.h"

#include <hal/time.h>
#include <svm/svm.h>

#define PAGES   8u
#define WORDS   (PAGE_SIZE / sizeof(u32))
#define STEP_NS 2000000ull

static void sleep_until(ticks_t then)
{
    while (time_now() < then && !task_stopping())
        thread_block(then);
}

static void svm_publish_run(struct task *t, unsigned which)
{
    unsigned rank = svm_rank(), wrong = 0;
    u32 *page = svm_alloc(PAGES * svm_members() * PAGE_SIZE, SVM_ONCE); /* rank 0 owns the first ones */
    ticks_t *begin = page ? svm_alloc(sizeof(*begin), SVM_LAZY) : NULL, step = time_from_ns(STEP_NS);
    if (begin && rank == 0)
        *begin = time_after(20 * STEP_NS);
    int err = begin ? svm_barrier() : -ENOMEM;
    ticks_t at = err ? 0 : *begin;
    for (unsigned i = 0; i < PAGES && rank < 2 && !err; i++, at += 2 * step, page += WORDS) {
        sleep_until(at + rank * step);
        if (rank)
            wrong += count_wrong(page, i);
        else
            fill(page, i);
    }
    if (!err)
        err = svm_barrier();
    if (err)
        task_print(t, "publish: error %d\n", err);
    else
        task_print(t, "publish: rank %u: %u words wrong in %u pages\n", rank, wrong, PAGES);
}

TASK_APP(svm_publish, .number = APP_SVM_PUBLISH, .name = "svm-publish", .run = svm_publish_run);
