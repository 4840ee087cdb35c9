/* SPDX-License-Identifier: MIT */
/* again.c - the first run waits until the last UE's core is dead; the next one computes, with what the first has left.
 */
#include <RCCE.h>
#include <RCCE_lib.h>

#define ROUNDS 50

static int compute(void)
{
    int n = RCCE_num_ues(), me = RCCE_ue(), wrong = 0;
    double mine[2] = { me + 1, -me }, sum[2];
    for (int i = 0; i < ROUNDS; i++) {
        RCCE_allreduce((char *)mine, (char *)sum, 2, RCCE_DOUBLE, RCCE_SUM, RCCE_COMM_WORLD);
        wrong += sum[0] != n * (n + 1) / 2 || sum[1] != -n * (n - 1) / 2;
        RCCE_acquire_lock(i % n);
        RCCE_release_lock(i % n);
        double all = me == i % n ? i : -1;
        RCCE_bcast((char *)&all, sizeof(all), i % n, RCCE_COMM_WORLD);
        wrong += all != i;
        RCCE_barrier(&RCCE_COMM_WORLD);
    }
    return wrong;
}

/* The last one has a lock, and is in a barrier to which nobody else comes: they want the lock. */
static void wait_for_ever(void)
{
    compute();
    int last = RCCE_ue() == RCCE_num_ues() - 1;
    if (last)
        RCCE_acquire_lock(0);
    RCCE_barrier(&RCCE_COMM_WORLD);
    printf("again: UE %d: waits\n", RCCE_ue());
    fflush(stdout);
    if (last)
        RCCE_barrier(&RCCE_COMM_WORLD);
    RCCE_acquire_lock(0);
}

int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    volatile int *lives = (volatile int *)RCCE_shmalloc(4 * RCCE_MAXNP);
    int me = RCCE_ue(), life = ++lives[me];
    if (life == 1)
        wait_for_ever();
    printf("again: UE %d: %d wrong\n", me, compute());
    RCCE_finalize();
    return 0;
}
