/* SPDX-License-Identifier: MIT */
/* beside.c - a program that counts in shared memory and in an atomic counter, and writes its own mark there: programs
 * on other cores do the same at the same time. */
#include <iRCCE.h>
#include <RCCE.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 32768

int RCCE_APP(int argc, char **argv)
{
    iRCCE_AIR *air;
    int count = 0, wrong = 0;
    RCCE_init(&argc, &argv);
    iRCCE_init();
    int me = RCCE_ue(), n = RCCE_num_ues(), rounds = atoi(argv[1]), mark = atoi(argv[2]);
    volatile unsigned char *at = RCCE_shmalloc(BYTES);
    if (!at || iRCCE_atomic_alloc(&air))
        return 1;
    for (int round = 0; round < rounds; round++) {
        for (int i = me; i < BYTES; i += 64 * n)
            at[i] = (unsigned char)(mark + round);
        iRCCE_atomic_inc(air, NULL);
        RCCE_barrier(&RCCE_COMM_WORLD);
        for (int i = (me + 1) % n; i < BYTES; i += 64 * n)
            wrong += at[i] != (unsigned char)(mark + round);
        RCCE_barrier(&RCCE_COMM_WORLD);
    }
    iRCCE_atomic_read(air, &count);
    printf("UE %d: mark %d, counted %d of %d, %d wrong\n", me, mark, count, rounds * n, wrong);
    RCCE_finalize();
    return 0;
}
