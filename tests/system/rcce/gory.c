/* SPDX-License-Identifier: MIT */
/* RCCE's gory interface: a ring by put and flags, then send and recv by the application's own buffer. */
#define GORY
#include <RCCE.h>
#include <stdio.h>
#include <string.h>

#define WORDS 64 /* of 4 bytes */

int RCCE_APP(int argc, char **argv)
{
    RCCE_FLAG sent, ready;
    int out[WORDS], in[WORDS], bad = 0;
    RCCE_init(&argc, &argv);
    int me = RCCE_ue(), n = RCCE_num_ues(), next = (me + 1) % n, before = (me + n - 1) % n;
    t_vcharp buffer = RCCE_malloc(sizeof(out));
    RCCE_flag_alloc(&sent);
    RCCE_flag_alloc(&ready);
    RCCE_barrier(&RCCE_COMM_WORLD);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < WORDS; i++)
            out[i] = round * 1000 + me * 100 + i;
        RCCE_put(buffer, (t_vcharp)out, sizeof(out), next);
        RCCE_flag_write(&sent, RCCE_FLAG_SET, next);
        RCCE_wait_until(sent, RCCE_FLAG_SET);
        RCCE_flag_write(&sent, RCCE_FLAG_UNSET, me);
        RCCE_get((t_vcharp)in, buffer, sizeof(in), me);
        for (int i = 0; i < WORDS; i++)
            bad += in[i] != round * 1000 + before * 100 + i;
        RCCE_barrier(&RCCE_COMM_WORLD);
    }
    for (int from = 0; from + 1 < n; from++) {
        memset(in, 0, sizeof(in));
        if (me == from)
            RCCE_send((char *)out, buffer, 64, &ready, &sent, sizeof(out), me + 1);
        if (me == from + 1) {
            RCCE_recv((char *)in, buffer, 64, &ready, &sent, sizeof(in), from, NULL);
            for (int i = 0; i < WORDS; i++)
                bad += in[i] != 9 * 1000 + from * 100 + i;
        }
        RCCE_barrier(&RCCE_COMM_WORLD);
    }
    printf("UE %d of %d: %d wrong\n", me, n, bad);
    RCCE_finalize();
    return 0;
}
