/* SPDX-License-Identifier: MIT */
/* iRCCE as an application uses it: everyone sends to everyone at a time, and blocks with requests open. */
#include <RCCE.h>
#include <iRCCE.h>
#include <stdio.h>

enum { MOST = 5000, UES = 8 };

static char out[UES][MOST], in[UES][MOST];
static iRCCE_SEND_REQUEST sends[UES];
static iRCCE_RECV_REQUEST recvs[UES];
static int wrong, me, n;

static char byte(int i, int from, int to) { return (char)(i * 13 + from * 5 + to); }

static void post(int size)
{
    for (int step = 1; step < n; step++) {
        int to = (me + step) % n;
        for (int i = 0; i < size; i++)
            out[to][i] = byte(i, me, to);
        iRCCE_isend(out[to], size, to, &sends[to]);
        iRCCE_irecv(in[to], size, to, &recvs[to]);
    }
}

static void check(int size)
{
    for (int from = 0; from < n; from++)
        for (int i = 0; i < size && from != me; i++)
            wrong += in[from][i] != byte(i, from, me);
}

int RCCE_APP(int argc, char **argv)
{
    static const int sizes[] = { 1, 33, MOST };
    RCCE_init(&argc, &argv);
    iRCCE_init();
    me = RCCE_ue();
    n = RCCE_num_ues();
    wrong = n > UES;
    for (unsigned k = 0; n <= UES && k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        iRCCE_WAIT_LIST list;
        iRCCE_init_wait_list(&list);
        post(sizes[k]);
        for (int ue = 0; ue < n; ue++)
            if (ue != me)
                iRCCE_add_to_wait_list(&list, &sends[ue], &recvs[ue]);
        wrong += iRCCE_wait_all(&list) != iRCCE_SUCCESS;
        check(sizes[k]);
        post(sizes[k]);
        RCCE_barrier(&RCCE_COMM_WORLD); /* blocks with all of them open */
        iRCCE_isend_wait(NULL);
        iRCCE_irecv_wait(NULL);
        check(sizes[k]);
    }
    printf("UE %d of %d: %d wrong\n", me, n, wrong);
    RCCE_finalize();
    return wrong != 0;
}
