/* SPDX-License-Identifier: MIT */
/*
 * anew.c - a core of the process is reset while the runs meet in barriers. The others get an error, and all compute
 * together then, the reset core with them: on lazy, strong and twin pages, under locks.
 */
#include <amalgam/scc.h>
#include <stdio.h>

#define ROUNDS 20u
#define LIVES  ((volatile uint32_t *)0xde100000) /* of its record's `shared`: kernel/include/process/chip.h */
#define STEP   50000000u
#define TRIES  400u

static unsigned rank, n, wrong;

static volatile uint32_t *allocate(enum amalgam_svm_alloc model, int *error)
{
    int64_t at = *error ? 0 : amalgam_svm_alloc(1, model);
    if (at < 0)
        *error = (int)at;
    return (volatile uint32_t *)(uintptr_t)at;
}

static void barrier(int *error)
{
    if (!*error)
        *error = (int)amalgam_svm_barrier();
}

static void add(volatile uint32_t *word, unsigned lock, int *error)
{
    if (!*error)
        *error = (int)amalgam_svm_lock(lock);
    if (*error)
        return;
    uint32_t was = *word;
    amalgam_yield();
    *word = was + 1;
    amalgam_svm_unlock(lock);
}

static int compute(void)
{
    int error = 0;
    wrong = 0;
    volatile uint32_t *lazy = allocate(AMALGAM_SVM_ALLOC_LAZY, &error),
                      *strong = allocate(AMALGAM_SVM_ALLOC_STRONG, &error),
                      *twins = allocate(AMALGAM_SVM_ALLOC_TWINS, &error);
    for (unsigned i = 0; i < ROUNDS && !error; i++) {
        add(lazy, 0, &error);
        add(strong, 63, &error);
        if (!error)
            twins[rank] += i;
        barrier(&error);
        for (unsigned other = 0; other < n && !error; other++)
            wrong += twins[other] != i * (i + 1) / 2;
        wrong += !error && (*lazy != n * (i + 1) || *strong != n * (i + 1));
        barrier(&error);
    }
    volatile uint32_t *regions[] = { lazy, strong, twins };
    for (unsigned i = 0; i < 3 && !error; i++)
        error = (int)amalgam_svm_free((const void *)regions[i]);
    return error;
}

int main(void)
{
    rank = (unsigned)amalgam_svm_rank();
    n = (unsigned)amalgam_svm_members();
    int error = ++LIVES[rank] > 1;
    printf("anew: rank %u: life %u\n", rank, (unsigned)LIVES[rank]);
    while (!error)
        error = (int)amalgam_svm_barrier();
    if (error < 0)
        printf("anew: rank %u: error %d\n", rank, error);
    for (unsigned i = 0; i < TRIES && (error = compute()); i++)
        amalgam_sleep_until((uint64_t)amalgam_clock() + STEP);
    printf("anew: rank %u of %u: at the end %d, %u wrong\n", rank, n, error, wrong);
    return error || wrong;
}
