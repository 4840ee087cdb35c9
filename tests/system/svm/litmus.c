/* SPDX-License-Identifier: MIT */
/*
 * litmus.c - litmus tests of the models of shared pages: a few loads and stores of each run on the same variables, with
 * pauses where chance puts them, and how often each outcome was seen. arguments: [litmus, rounds, a model or once,
 * the rule that is broken]. test_svm_litmus.py knows which outcomes there may be.
 *
 * A thread is a string: Wx1 stores 1 to x, Rx loads x, ? ends the thread if the last load gave 0. The variables x, y, z
 * are words of pages of the model, d one of a page that is written once, each round another one. An outcome is what
 * each thread has loaded, and the last x and y. The runs take the threads in turn.
 *
 * Strong pages need nothing else. On lazy pages and twins each store is released and each load comes after an acquire;
 * a word that nobody caches says that there was a release, as the checker wants to know why a run may load something.
 */
#define PROGRAM "litmus"
#include <amalgam/scc.h>
#include <string.h>

#include "run.h"

#define PAGE    4096u
#define THREADS 4u
#define LOADS   4u /* of a thread */
#define KINDS   64u
#define ROUNDS  100u /* at most, as each has a page that is written once */

struct shared {
    uint32_t come, released[THREADS];
    char loaded[THREADS][LOADS];
};
#define SHARED ((volatile struct shared *)0xde100000) /* kernel/include/process/chip.h */

static const struct shape {
    const char *name, *thread[THREADS];
} shapes[] = {
    { "mp", { "Wx1Wy1", "RyRx" } },
    { "sb", { "Wx1Ry", "Wy1Rx" } },
    { "lb", { "RxWy1", "RyWx1" } },
    { "corr", { "Wx1", "RxRx" } },
    { "coww", { "Wx1Wx2", "RxRx" } },
    { "2+2w", { "Wx1Wy2", "Wy1Wx2" } },
    { "wrc", { "Wx1", "RxWy1", "RyRx" } },
    { "iriw", { "Wx1", "Wy1", "RxRy", "RyRx" } },
}, once[] = {
    { "mp-once", { "Wd1Wy1", "Ry?Rd" } },
    { "corr-once", { "Wd1Wy1", "Ry?RdRd" } },
    { "wrc-once", { "Wd1Wy1", "Ry?RdWz1", "Rz?Rd" } },
};

static uint32_t turns;
static const char *broken = "";
static int relaxed; /* the model's pages want releases and acquires */
static volatile uint32_t *variable[4];
static struct {
    char text[THREADS * LOADS + 4];
    unsigned count;
} kind[KINDS];

static void pauses(void)
{
    for (unsigned left = any(6); left; left--)
        __asm__ volatile("pause");
    if (!any(16))
        amalgam_sleep_until((uint64_t)amalgam_clock() + any(30000));
}

/* Wait until all runs are here; on memory that is not cached, and that orders nothing else. */
static void meet(void)
{
    turns += n;
    __atomic_fetch_add(&SHARED->come, 1, __ATOMIC_SEQ_CST);
    while (SHARED->come < turns)
        __asm__ volatile("pause");
}

static void acquire(void)
{
    if (relaxed && strcmp(broken, "acquire") != 0)
        must(amalgam_svm_acquire(), "acquire");
}

static void store(unsigned which, uint32_t value)
{
    *variable[which] = value;
    if (relaxed && strcmp(broken, "release") != 0)
        must(amalgam_svm_release(), "release");
    SHARED->released[rank]++;
}

static uint32_t load(unsigned which)
{
    for (unsigned i = 0; relaxed && i < n; i++)
        (void)SHARED->released[i];
    acquire();
    return *variable[which];
}

static unsigned which(char name) { return name == 'd' ? 3 : (unsigned)(name - 'x'); }

static void run(const char *at, unsigned thread)
{
    unsigned loads = 0;
    while (*at) {
        pauses();
        if (*at == 'W') {
            store(which(at[1]), (uint32_t)(at[2] - '0'));
            at += 3;
        } else if (*at == 'R') {
            SHARED->loaded[thread][loads++] = (char)('0' + load(which(at[1])));
            at += 2;
        } else if (SHARED->loaded[thread][loads - 1] == '0') {
            return;
        } else {
            at++;
        }
    }
}

static void count(void)
{
    char text[sizeof(kind[0].text)] = "";
    unsigned at = 0, i = 0;
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned k = 0; k < LOADS && SHARED->loaded[t][k]; k++)
            text[at++] = SHARED->loaded[t][k];
    text[at++] = '/';
    for (unsigned v = 0; v < 2; v++)
        text[at++] = (char)('0' + load(v));
    while (i < KINDS - 1 && kind[i].count && strcmp(kind[i].text, text) != 0)
        i++;
    memcpy(kind[i].text, text, sizeof(text));
    kind[i].count++;
}

/* x and y are in one page in every other round. */
static void place(uint32_t *pages, unsigned round)
{
    variable[0] = pages;
    variable[1] = pages + (round % 2 ? 64 : PAGE / sizeof(*pages));
    variable[2] = pages + 2 * PAGE / sizeof(*pages);
}

static void play(const char *model, const struct shape *s, uint32_t *pages, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++) {
        place(pages, round);
        acquire(); /* before a store: of twins only what differs from this run's copy is stored */
        if (rank == round % n) {
            for (unsigned v = 0; v < 3; v++)
                store(v, 0);
            memset((void *)SHARED->loaded, 0, sizeof(SHARED->loaded));
        }
        meet();
        acquire();
        unsigned thread = (rank + round) % n;
        if (thread < THREADS && s->thread[thread])
            run(s->thread[thread], thread);
        meet();
        if (rank == 0)
            count();
        meet();
        variable[3] += PAGE / sizeof(*pages);
    }
    for (unsigned i = 0; rank == 0 && i < KINDS && kind[i].count; i++)
        printf("litmus: %s %s %s %u\n", model, s->name, kind[i].text, kind[i].count);
    memset(kind, 0, sizeof(kind));
}

static uint32_t *pages_of(unsigned count, enum amalgam_svm_alloc model)
{
    return (uint32_t *)(uintptr_t)must(amalgam_svm_alloc(count, model), "alloc");
}

/* What was stored before all declare a page read-only is what all load. */
static void only_read(unsigned rounds)
{
    uint32_t *page = pages_of(1, AMALGAM_SVM_ALLOC_STRONG);
    for (uint32_t round = 1; round <= rounds; round++) {
        if (rank == round % n)
            *(volatile uint32_t *)page = round;
        must(amalgam_svm_change(page, AMALGAM_SVM_CHANGE_READ_ONLY), "change");
        pauses();
        if (*(volatile uint32_t *)page != round)
            printf("litmus: rank %u: read-only: %u in round %u\n", rank, (unsigned)*page, (unsigned)round);
        must(amalgam_svm_change(page, AMALGAM_SVM_CHANGE_STRONG), "change");
    }
    must(amalgam_svm_free(page), "free");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        enum amalgam_svm_alloc model;
    } models[] = { { "strong", AMALGAM_SVM_ALLOC_STRONG },
                   { "lazy", AMALGAM_SVM_ALLOC_LAZY },
                   { "twins", AMALGAM_SVM_ALLOC_TWINS } };
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) % (ROUNDS + 1) : 1;
    const char *only = argc > 2 ? argv[2] : "";
    broken = argc > 3 ? argv[3] : "";
    rank = (unsigned)must(amalgam_svm_rank(), "rank");
    n = (unsigned)must(amalgam_svm_members(), "members");
    state = 2654435761u * (rank + 1);
    for (unsigned m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
        if (strcmp(models[m].name, only) != 0)
            continue;
        uint32_t *pages = pages_of(3, models[m].model);
        relaxed = m > 0;
        for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
            play(models[m].name, &shapes[i], pages, rounds);
        must(amalgam_svm_free(pages), "free");
    }
    for (unsigned i = 0; strcmp(only, "once") == 0 && i < sizeof(once) / sizeof(once[0]); i++) {
        uint32_t *pages = pages_of(3, AMALGAM_SVM_ALLOC_STRONG), *written = pages_of(rounds, AMALGAM_SVM_ALLOC_ONCE);
        variable[3] = written;
        play("once", &once[i], pages, rounds);
        must(amalgam_svm_free(written), "free");
        must(amalgam_svm_free(pages), "free");
    }
    only_read(rounds);
    must(amalgam_svm_barrier(), "barrier");
    printf("litmus: rank %u of %u: done\n", rank, n);
    return 0;
}
