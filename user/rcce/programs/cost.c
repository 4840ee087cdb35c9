/* SPDX-License-Identifier: MIT */
/*
 * cost.c - what RCCE costs, for bench/scc (`cost` or `cost barriers`): UE 0 passes mark 2 n - 1 before and mark 2 n
 * after each part (docs/coherence.md, "Clocks"); the marks of the others say nothing. Messages go to the last UE; each
 * part is rehearsed once.
 */
#include <RCCE_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK(n) __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (n)) : "memory", "cc")

#define LARGE (1 << 20)
#define QUIET 60000 /* us */

static char *buffer;

static void there_and_back(int size, int rounds)
{
    int last = RCCE_num_ues() - 1;
    for (int i = 0; i < rounds; i++) {
        if (RCCE_ue() == 0) {
            RCCE_send(buffer, (size_t)size, last);
            RCCE_recv(buffer, (size_t)size, last);
        } else if (RCCE_ue() == last) {
            RCCE_recv(buffer, (size_t)size, 0);
            RCCE_send(buffer, (size_t)size, 0);
        }
    }
}

static void meet(int size, int rounds)
{
    (void)size;
    for (int i = 0; i < rounds; i++)
        RCCE_barrier(&RCCE_COMM_WORLD);
}

static void lock(int size, int rounds)
{
    (void)size;
    for (int i = 0; i < rounds && RCCE_ue() == 0; i++) {
        RCCE_acquire_lock(0);
        RCCE_release_lock(0);
    }
}

/* The best copy that there is: one instruction for four bytes. */
static void copy(int size, int rounds)
{
    for (int i = 0; i < rounds && RCCE_ue() == 0; i++) {
        void *to = buffer + LARGE;
        const void *from = buffer;
        int words = size / 4;
        __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(words)::"memory");
    }
}

#define PART(n, part, size, rounds)                                                                                    \
    do {                                                                                                               \
        part(size, 1);                                                                                                 \
        RCCE_barrier(&RCCE_COMM_WORLD);                                                                                \
        MARK(2 * (n)-1);                                                                                               \
        part(size, rounds);                                                                                            \
        MARK(2 * (n));                                                                                                 \
        RCCE_barrier(&RCCE_COMM_WORLD);                                                                                \
    } while (0)

int RCCE_APP(int argc, char **argv)
{
    if (RCCE_init(&argc, &argv) || !(buffer = calloc(2, LARGE))) {
        printf("cost: cannot begin\n");
        return 1;
    }
    usleep(QUIET); /* cores without a UE have said that they are done */
    if (argc > 1 && !strcmp(argv[1], "barriers")) {
        PART(1, meet, 0, 50);
    } else {
        PART(1, there_and_back, 32, 100);
        PART(2, there_and_back, 8192, 20);
        PART(3, there_and_back, LARGE, 1);
        PART(4, lock, 0, 100);
        PART(5, copy, LARGE, 1);
    }
    if (RCCE_ue() == 0)
        printf("cost: done\n");
    RCCE_finalize();
    return 0;
}
