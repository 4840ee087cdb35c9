/* SPDX-License-Identifier: MIT */
/*
 * stronglitmus.c - litmus tests of a guest's vCPUs on several cores: a few loads and stores of each on the same words,
 * with pauses where chance puts them, and how often each outcome was seen. The command line: rounds, and what is
 * broken: `private` takes y from each core's own memory. test_scc_strong_litmus.py knows which outcomes there may be.
 *
 * A thread is a string: Wx1 stores 1 to x, Rx loads x, Xx1 exchanges x with 1, F is a locked instruction on the own
 * stack (a Pentium has no MFENCE). x, y and z are words of shared pages. An outcome is what each thread has loaded, and
 * the last x and y. The vCPUs take the threads in turn.
 */
#include "strong.h"

#define THREADS 4u
#define LOADS   4u /* of a thread */
#define KINDS   64u
#define PAGES   32u
#define FIRST   20u /* shared page of the variables */
#define TEXT    (THREADS * LOADS + 4)

struct words {
    struct meeting meeting;
    char loaded[THREADS][LOADS];
};

static volatile struct words *const words = (volatile struct words *)MEETING;

static const struct shape {
    const char *name, *thread[THREADS];
} shapes[] = {
    { "mp", { "Wx1Wy1", "RyRx" } },
    { "sb", { "Wx1Ry", "Wy1Rx" } },
    { "sb+fences", { "Wx1FRy", "Wy1FRx" } },
    { "sb+xchg", { "Xx1Ry", "Xy1Rx" } },
    { "lb", { "RxWy1", "RyWx1" } },
    { "lb+fences", { "RxFWy1", "RyFWx1" } },
    { "corr", { "Wx1", "RxRx" } },
    { "2+2w", { "Wx1Wy2", "Wy1Wx2" } },
    { "xchgs", { "Xx1Xy1", "Xx2Xy2" } },
    { "wrc", { "Wx1", "RxWy1", "RyRx" } },
    { "iriw", { "Wx1", "Wy1", "RxRy", "RyRx" } },
    { "iriw+fences", { "Wx1", "Wy1", "RxFRy", "RyFRx" } },
};

static volatile uint32_t *variable[3];
static uint32_t seed, own_y;
static bool private;
static struct {
    char text[TEXT];
    unsigned count;
} kind[KINDS];

static uint32_t any(uint32_t end) { return (random_next(&seed) >> 8) % end; }

static void pauses(void)
{
    for (uint32_t left = any(3) ? any(6) : any(60); left; left--)
        pause();
}

static unsigned which(char name) { return (unsigned)(name - 'x'); }

static void run(const char *at, uint32_t thread)
{
    uint32_t loads = 0, fence = 0;
    for (; *at; at += *at == 'F' ? 1 : *at == 'R' ? 2 : 3) {
        pauses();
        volatile uint32_t *to = variable[*at == 'F' ? 0 : which(at[1])];
        if (*at == 'W')
            *to = (uint32_t)(at[2] - '0');
        else if (*at == 'R')
            words->loaded[thread][loads++] = (char)('0' + *to);
        else if (*at == 'X')
            words->loaded[thread][loads++] = (char)('0' + exchange(to, (uint32_t)(at[2] - '0')));
        else
            add(&fence, 1);
    }
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static void count(void)
{
    char text[TEXT] = "";
    unsigned at = 0, i = 0;
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned k = 0; k < LOADS && words->loaded[t][k]; k++)
            text[at++] = words->loaded[t][k];
    text[at++] = '/';
    for (unsigned v = 0; v < 2; v++)
        text[at++] = (char)('0' + *variable[v]);
    while (i < KINDS - 1 && kind[i].count && !same(kind[i].text, text))
        i++;
    for (unsigned k = 0; k < TEXT; k++)
        kind[i].text[k] = text[k];
    kind[i].count++;
}

/* x and y are in one page in every other round. */
static void place(uint32_t round)
{
    variable[0] = shared_page(FIRST);
    variable[1] = private ? &own_y : round % 2 ? shared_page(FIRST) + 64 : shared_page(FIRST + 1);
    variable[2] = shared_page(FIRST + 2);
}

static void play(const struct shape *s, uint32_t rounds)
{
    for (uint32_t round = 0; round < rounds; round++) {
        place(round);
        own_y = 0;
        if (me == round % cpus) {
            for (unsigned v = 0; v < 3; v++)
                *variable[v] = 0;
            for (unsigned k = 0; k < THREADS * LOADS; k++)
                words->loaded[k / LOADS][k % LOADS] = 0;
        }
        meet();
        uint32_t thread = (me + round) % cpus;
        if (thread < THREADS && s->thread[thread])
            run(s->thread[thread], thread);
        meet();
        if (!me)
            count();
        meet();
    }
    for (unsigned i = 0; !me && i < KINDS && kind[i].count; i++) {
        print("litmus: %s %s %u\n", s->name, kind[i].text, kind[i].count);
        kind[i].count = 0;
    }
}

static void prepare(void) {}

int main(uint32_t boot)
{
    const char *text = own_words(boot);
    uint32_t rounds = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        rounds = rounds * 10 + (uint32_t)(*text - '0');
    private = *text == ' ' && text[1] == 'p';
    strong_begin(boot, PAGES, strong_fault, prepare);
    seed = 2654435761u * (me + 1);
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (cpus == THREADS || !shapes[i].thread[cpus])
            play(&shapes[i], rounds);
    strong_end();
    print("litmus: %u vCPUs: done\n", cpus);
    ring1_off();
}
