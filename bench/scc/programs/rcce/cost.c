/* SPDX-License-Identifier: MIT */
/*
 * cost.c - measures RCCE for bench/scc (`cost`, `cost barriers`, or `cost barrier` for the first part of it). UE 0
 * executes mark 2 n - 1 before and mark 2 n after part n (docs/coherence.md, "Clocks"); the marks of other UEs are not
 * used. Messages go to the last UE. Each part is done once before it is measured.
 */
#include <RCCE_lib.h>
#include <iRCCE.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK(n) __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (n)) : "memory", "cc")

#define LARGE    (1 << 20)
#define QUIET    60000 /* us */
#define CHILDREN 4

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

/* The same messages by requests. */
static void by_requests(int size, int rounds)
{
    iRCCE_SEND_REQUEST send;
    iRCCE_RECV_REQUEST recv;
    int me = RCCE_ue(), last = RCCE_num_ues() - 1;
    for (int i = 0; i < rounds && (me == 0 || me == last); i++)
        for (int turn = 0; turn < 2; turn++)
            if (!me == !turn) {
                iRCCE_isend(buffer, size, me ? 0 : last, &send);
                iRCCE_isend_wait(&send);
            } else {
                iRCCE_irecv(buffer, size, me ? 0 : last, &recv);
                iRCCE_irecv_wait(&recv);
            }
}

static tree_t tree;

static void meet_linear(int size, int rounds)
{
    (void)size;
    for (int i = 0; i < rounds; i++)
        while (RCCE_nb_barrier(&RCCE_COMM_WORLD) == RCCE_PENDING)
            __asm__ volatile("pause");
}

static void meet_central(int size, int rounds)
{
    (void)size;
    for (int i = 0; i < rounds; i++)
        while (RCCE_nb_AIR_barrier(&RCCE_COMM_WORLD) == RCCE_PENDING)
            __asm__ volatile("pause");
}

static void meet_tree(int size, int rounds)
{
    (void)size;
    for (int i = 0; i < rounds; i++)
        RCCE_tree_barrier(&RCCE_COMM_WORLD, &tree);
}

static void meet_tournament(int size, int rounds)
{
    (void)size;
    for (int i = 0; i < rounds; i++)
        RCCE_tournament_barrier(&RCCE_COMM_WORLD);
}

/* For comparison, the cheapest copy: one instruction for four bytes. */
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
    if (argc == 1)
        usleep(QUIET); /* until cores without a UE have printed that they are done */
    const char *what = argc > 1 ? argv[1] : "messages";
    if (!strcmp(what, "barrier")) {
        PART(1, meet, 0, 50);
    } else if (!strcmp(what, "barriers")) {
        RCCE_tree_init(&RCCE_COMM_WORLD, &tree, CHILDREN);
        PART(1, meet, 0, 50);
        PART(2, meet_linear, 0, 20);
        PART(3, meet_central, 0, 20);
        PART(4, meet_tree, 0, 20);
        PART(5, meet_tournament, 0, 20);
    } else {
        PART(1, there_and_back, 32, 100);
        PART(2, there_and_back, 8192, 20);
        PART(3, there_and_back, LARGE, 1);
        PART(4, lock, 0, 100);
        PART(5, copy, LARGE, 1);
        PART(6, by_requests, 32, 100);
    }
    if (RCCE_ue() == 0)
        printf("cost: done\n");
    RCCE_finalize();
    return 0;
}
