/* SPDX-License-Identifier: MIT */
/* `counts TIMES LOCKED`: all UEs add to one word of the shared memory by a locked instruction, and to another one
 * between taking and giving back a lock; a sum goes over all UEs before and after. */
#include <RCCE.h>
#include <RCCE_lib.h>
#include <stdio.h>
#include <stdlib.h>

static int sum(int value)
{
    int all = 0;
    RCCE_allreduce((char *)&value, (char *)&all, 1, RCCE_INT, RCCE_SUM, RCCE_COMM_WORLD);
    return all;
}

int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    int times = atoi(argv[1]), locked = atoi(argv[2]), me = RCCE_ue(), n = RCCE_num_ues();
    volatile int *word = (volatile int *)RCCE_shmalloc(2 * 64);
    if (me == 0)
        word[0] = word[16] = 0;
    int ranks = sum(me + 1);
    for (int i = 0; i < times; i++)
        __atomic_fetch_add(&word[0], 1, __ATOMIC_SEQ_CST);
    RCCE_barrier(&RCCE_COMM_WORLD);
    for (int i = 0; i < locked; i++) {
        RCCE_acquire_lock(0);
        word[16] = word[16] + 1;
        RCCE_release_lock(0);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    printf("counts: UE %d of %d: added %d of %d, under a lock %d of %d, ranks %d, again %d\n", me, n, word[0],
           n * times, word[16], n * locked, ranks, sum(word[16]));
    RCCE_finalize();
    return 0;
}
