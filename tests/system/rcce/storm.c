/* SPDX-License-Identifier: MIT */
/* `storm BARRIERS MESSAGES`: barriers, and messages of changing size round the ring, each with its number and a
 * checksum. */
#include <RCCE.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 64 };

/* For the coherence checker: all instructions so far, and this core's (cache_ops.h). */
#define MARK(n) __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (n)) : "memory", "cc")

static unsigned checksum(const unsigned *word, int n)
{
    unsigned first = 0, second = 0;
    for (int i = 0; i < n; i++) {
        first += word[i];
        second += first;
    }
    return second;
}

/* Number, filling, checksum. */
static void fill(unsigned *word, int n, int number, int from)
{
    for (int i = 0; i < n - 1; i++)
        word[i] = (unsigned)number * 2654435761u + (unsigned)(from * WORDS + i);
    word[n - 1] = checksum(word, n - 1);
}

static int is_wrong(const unsigned *word, int n, int number, int from)
{
    return word[0] != (unsigned)number * 2654435761u + (unsigned)(from * WORDS) || word[n - 1] != checksum(word, n - 1);
}

int RCCE_APP(int argc, char **argv)
{
    unsigned out[WORDS], in[WORDS];
    int wrong = 0;
    RCCE_init(&argc, &argv);
    int barriers = atoi(argv[1]), messages = atoi(argv[2]);
    int me = RCCE_ue(), n = RCCE_num_ues(), next = (me + 1) % n, before = (me + n - 1) % n;
    for (int i = 0; i < barriers; i++)
        RCCE_barrier(&RCCE_COMM_WORLD);
    for (int i = 0; i < messages; i++) {
        int words = 2 + i % (WORDS - 1);
        fill(out, words, i, me);
        if (me % 2 == 0)
            RCCE_send((char *)out, (size_t)words * sizeof(*out), next);
        RCCE_recv((char *)in, (size_t)words * sizeof(*in), before);
        if (me % 2)
            RCCE_send((char *)out, (size_t)words * sizeof(*out), next);
        wrong += is_wrong(in, words, i, before);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    MARK(1);
    printf("storm: UE %d of %d: %d barriers, %d messages, %d wrong\n", me, n, barriers, messages, wrong);
    RCCE_finalize();
    return 0;
}
