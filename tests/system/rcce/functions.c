/* SPDX-License-Identifier: MIT */
/* Functions of RCCE's simple interface, as an application uses them; every UE says how many results were wrong. */
#include <RCCE.h>
#include <RCCE_lib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong, me, n;

static void expect(int ok, const char *what)
{
    if (!ok)
        printf("wrong: %s\n", what);
    wrong += !ok;
}

static void messages(void)
{
    enum { MOST = 100001 };
    char *out = malloc(MOST), *in = malloc(MOST);
    static const int sizes[] = { 1, 33, 2016, 2017, 4032, 4033, MOST };
    for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        for (int i = 0; i < sizes[k]; i++)
            out[i] = (char)(i * 13 + me);
        if (me % 2 == 0)
            RCCE_send(out, sizes[k], (me + 1) % n);
        RCCE_recv(in, sizes[k], (me + n - 1) % n);
        if (me % 2)
            RCCE_send(out, sizes[k], (me + 1) % n);
        int bad = 0;
        for (int i = 0; i < sizes[k]; i++)
            bad += in[i] != (char)(i * 13 + (me + n - 1) % n);
        expect(!bad, "message");
    }
    free(out);
    free(in);
}

static int parity(int ue, void *aux)
{
    (void)aux;
    return ue % 2;
}

static void groups(void)
{
    RCCE_COMM half;
    int size, rank, one = 1, sum = 0;
    expect(RCCE_comm_split(parity, NULL, &half) == RCCE_SUCCESS, "comm_split");
    RCCE_comm_size(half, &size);
    RCCE_comm_rank(half, &rank);
    expect(size == (n + 1 - me % 2) / 2 && rank == me / 2, "size and rank");
    RCCE_barrier(&half);
    RCCE_allreduce((char *)&one, (char *)&sum, 1, RCCE_INT, RCCE_SUM, half);
    expect(sum == size, "allreduce in a group");
    RCCE_barrier(&RCCE_COMM_WORLD);
}

static void numbers(void)
{
    double mine = sqrt(me + 2.0), sum = 0, want = 0;
    for (int ue = 0; ue < n; ue++)
        want += sqrt(ue + 2.0);
    RCCE_reduce((char *)&mine, (char *)&sum, 1, RCCE_DOUBLE, RCCE_SUM, 0, RCCE_COMM_WORLD);
    RCCE_bcast((char *)&sum, sizeof(sum), 0, RCCE_COMM_WORLD);
    expect(fabs(sum - want) < 1e-12, "reduce and bcast");
    long long big = 1000000007LL * 998244353LL + me;
    expect((big - me) / 998244353LL == 1000000007LL && big % 998244353LL == me, "division of 64 bits");
}

static void shared(void)
{
    volatile int *count = (volatile int *)RCCE_shmalloc(64);
    for (int i = 0; i < 50; i++) {
        RCCE_acquire_lock(0);
        int seen = *count;
        for (int k = 0; k < i % 4; k++) /* inside: else nobody meets on this board */
            __asm__ volatile("pause");
        *count = seen + 1;
        RCCE_release_lock(0);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    expect(*count == 50 * n, "count under a lock");
}

int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    me = RCCE_ue();
    n = RCCE_num_ues();
    double start = RCCE_wtime();
    expect(argc == 3 && argv[2][0] == 'b', "arguments");
    messages();
    groups();
    numbers();
    shared();
    expect(RCCE_send(argv[0], 1, n) == RCCE_ERROR_ID, "ID");
    expect(RCCE_wtime() > start, "wtime");
    printf("UE %d of %d: %d wrong, pi is %.6f\n", me, n, wrong, 4 * atan(1.0));
    RCCE_finalize();
    return wrong != 0;
}
