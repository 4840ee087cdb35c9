/* SPDX-License-Identifier: MIT */
/*
 * pingpong.c - `pingpong [BYTES [ROUNDS]]`: UE 0 sends messages to each other UE, which sends them back. Each receiver
 * checks every byte.
 */
#include <RCCE.h>
#include <stdio.h>
#include <stdlib.h>

static char *buffer;
static int size = 32, rounds = 10;

static void fill(int seed)
{
    for (int i = 0; i < size; i++)
        buffer[i] = (char)(i * 7 + seed);
}

static int wrong(int seed)
{
    int found = 0;
    for (int i = 0; i < size; i++)
        found += buffer[i] != (char)(i * 7 + seed);
    return found;
}

/* Returns how many bytes were wrong on both sides; the answer contains the other side's count. */
static int play(int with)
{
    int bad = 0, theirs = 0;
    for (int i = 0; i < rounds; i++) {
        fill(i + with);
        RCCE_send(buffer, (size_t)size, with);
        RCCE_recv(buffer, (size_t)size, with);
        bad += wrong(i + with + 1);
    }
    RCCE_recv((char *)&theirs, sizeof(theirs), with);
    return bad + theirs;
}

static void answer(int me)
{
    int bad = 0;
    for (int i = 0; i < rounds; i++) {
        RCCE_recv(buffer, (size_t)size, 0);
        bad += wrong(i + me);
        fill(i + me + 1);
        RCCE_send(buffer, (size_t)size, 0);
    }
    RCCE_send((char *)&bad, sizeof(bad), 0);
}

int RCCE_APP(int argc, char **argv)
{
    int error = RCCE_init(&argc, &argv);
    if (error) {
        printf("RCCE_init: error %d\n", error);
        return 1;
    }
    if (argc > 1)
        size = atoi(argv[1]);
    if (argc > 2)
        rounds = atoi(argv[2]);
    buffer = malloc((size_t)size);
    if (!buffer) {
        printf("no memory for %d bytes\n", size);
        return 1;
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    if (RCCE_ue())
        answer(RCCE_ue());
    for (int with = 1; !RCCE_ue() && with < RCCE_num_ues(); with++) {
        double start = RCCE_wtime();
        int bad = play(with);
        printf("pingpong: UE %d, %d times %d bytes and back, %.0f ns each way, %d wrong\n", with, rounds, size,
               (RCCE_wtime() - start) / rounds / 2 * 1e9, bad);
    }
    RCCE_finalize();
    return 0;
}
