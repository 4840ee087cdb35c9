/* SPDX-License-Identifier: MIT */
/*
 * svm_litmus.c - tests the promises of the models of shared virtual memory, without a barrier that would fulfil them
 * anyway.
 *
 * Strong: ranks 0 and 1 pass messages back and forth, with data in one page and a flag in another (message passing): a
 * core that sees the flag must see the data. Lazy: all ranks count in a page under a lock, which must lose no count.
 * Twins: the same, and each rank writes a byte of its own in one page. Once: the first again, each message
 * in a page of its own.
 */
#include "svm_messages.h"

#include <hal/time.h>
#include <svm/svm.h>

#define ROUNDS   20u
#define COUNTS   10u
#define BEGIN_NS 20000000ull

/* Shared by all ranks, lazy. */
struct shared {
    ticks_t begin;
    u32 reserved[6];
    u32 counter;
};

/* Count under a lock. The emulator's cores take turns at a pause. Without the pause inside no core would wait for the
 * lock; without the one behind no other core would get it before the last count. */
static int count(volatile u32 *counter)
{
    int err = 0;
    for (unsigned i = 0; i < COUNTS && !err; i++) {
        err = svm_lock(0);
        if (!err) {
            u32 was = *counter;
            cpu_relax();
            *counter = was + 1;
            err = svm_unlock(0);
            cpu_relax();
        }
    }
    return err;
}

/* Bytes of one word have different writers. */
static int write_bytes(u8 *bytes, unsigned rank, unsigned n, unsigned *wrong)
{
    bytes[rank] = (u8)(rank + 1);
    int err = svm_barrier();
    for (unsigned i = 0; i < n && !err; i++)
        *wrong += bytes[i] != i + 1;
    return err;
}

/* Begin at a time that rank 0 sets: a core that has waited long sleeps when a barrier ends. */
static int begin_together(struct shared *s, unsigned rank)
{
    if (rank == 0)
        s->begin = time_after(BEGIN_NS);
    int err = svm_barrier();
    while (!err && !task_stopping() && time_now() < s->begin)
        thread_block(s->begin);
    return err;
}

/* Rank 0 writes page after page, and has no other page than the flag's from rank 1. */
static int publish(unsigned rank, volatile u32 *page, volatile u32 *flag, unsigned *wrong)
{
    for (u32 turn = 1; turn <= ROUNDS; turn++, page += PAGE_SIZE / sizeof(*page)) {
        int err = rank ? await(flag, turn) : 0;
        if (err)
            return err;
        if (rank) {
            *wrong += count_wrong(page, turn << 16);
        } else {
            fill(page, turn << 16);
            *flag = turn;
        }
    }
    return 0;
}

static void svm_litmus_run(struct task *t, unsigned which)
{
    unsigned rank = svm_rank(), n = svm_members(), wrong = 0;
    u32 *strong = svm_alloc(3 * PAGE_SIZE, SVM_STRONG), *flag = strong + PAGE_SIZE / sizeof(*flag);
    u32 *once = strong ? svm_alloc(ROUNDS * PAGE_SIZE, SVM_ONCE) : NULL;
    struct shared *lazy = once ? svm_alloc(sizeof(*lazy), SVM_LAZY) : NULL;
    u32 *twins = lazy ? svm_alloc(PAGE_SIZE, SVM_TWINS) : NULL;
    int err = !twins ? -ENOMEM : rank < 2 && n > 1 ? pass_messages(rank, strong, flag, 2 * ROUNDS, &wrong) : 0;
    if (!err && rank < 2 && n > 1)
        err = publish(rank, once, flag + PAGE_SIZE / sizeof(*flag), &wrong);
    if (!err)
        err = begin_together(lazy, rank);
    if (!err)
        err = count(&lazy->counter);
    if (!err)
        err = count(twins);
    if (!err)
        err = svm_barrier();
    if (!err)
        err = write_bytes((u8 *)(twins + LINES), rank, n, &wrong);
    if (err)
        task_print(t, "litmus: error %d\n", err);
    else
        task_print(t, "litmus: rank %u: %u words wrong in %u messages; counted %u of %u, by twins %u\n", rank, wrong,
                   ROUNDS, lazy->counter, n * COUNTS, *twins);
}

TASK_APP(svm_litmus, .number = APP_SVM_LITMUS, .name = "svm-litmus", .run = svm_litmus_run);
