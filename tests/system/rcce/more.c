/* SPDX-License-Identifier: MIT */
/* RCCE's other barriers, tags, probes and multicast, and iRCCE's wildcards and counters, as an application uses them.
 */
#include <RCCE.h>
#include <RCCE_lib.h>
#include <iRCCE.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 5000 };

static char out[MOST], in[MOST];
static int wrong, me, n;
static tree_t tree;

static void expect(int ok, const char *what)
{
    if (!ok)
        printf("wrong: %s\n", what);
    wrong += !ok;
}

static void fill(char *to, int from, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = (char)(i * 13 + from);
}

static int is_from(int from, int size)
{
    int bad = 0;
    for (int i = 0; i < size; i++)
        bad += in[i] != (char)(i * 13 + from);
    return !bad;
}

static int by_tree(RCCE_COMM *comm) { return RCCE_tree_barrier(comm, &tree); }

static int by_nb(RCCE_COMM *comm)
{
    int result;
    while ((result = RCCE_nb_barrier(comm)) == RCCE_PENDING)
        __asm__ volatile("pause");
    return result;
}

static int by_nb_air(RCCE_COMM *comm)
{
    int result;
    while ((result = RCCE_nb_AIR_barrier(comm)) == RCCE_PENDING)
        __asm__ volatile("pause");
    return result;
}

/* Each kind orders what was stored before it: everyone's line is read by the next UE. */
static void barriers(void)
{
    static int (*const kinds[])(RCCE_COMM *) = {
        by_tree,
        RCCE_tournament_barrier,
        RCCE_tournament_fixed_barrier,
        RCCE_dissemination_barrier,
        RCCE_TNS_barrier,
        by_nb,
        RCCE_AIR_barrier,
        RCCE_AIR_barrier2,
        by_nb_air,
        iRCCE_barrier,
    };
    t_vcharp line = iRCCE_malloc(RCCE_LINE_SIZE);
    volatile int *word = (volatile int *)line;
    int got[RCCE_LINE_SIZE / sizeof(int)];
    RCCE_tree_init(&RCCE_COMM_WORLD, &tree, 2);
    for (int i = 0; i < 20; i++) {
        int (*kind)(RCCE_COMM *) = kinds[i % 10];
        *word = i + me; /* the barrier brings it to memory */
        expect(kind(&RCCE_COMM_WORLD) == RCCE_SUCCESS, "barrier");
        iRCCE_get((t_vcharp)got, line, RCCE_LINE_SIZE, (me + 1) % n);
        expect(got[0] == i + (me + 1) % n, "what was stored before a barrier");
        expect(kind(&RCCE_COMM_WORLD) == RCCE_SUCCESS, "barrier");
    }
}

static void tags(void)
{
    RCCE_FLAG flag;
    char tag[28] = "beside it", got[28] = "";
    int next = (me + 1) % n, before = (me + n - 1) % n, value, test = 0;
    t_vcharp where;
    iRCCE_flag_alloc_tagged(&flag);
    RCCE_barrier(&RCCE_COMM_WORLD);
    tag[27] = (char)me;
    iRCCE_flag_write_tagged(&flag, 7, next, tag, 28);
    iRCCE_wait_tagged(flag, 7, got, 28);
    expect(!strcmp(got, tag) && got[27] == before, "tag of a flag");
    RCCE_barrier(&RCCE_COMM_WORLD);
    iRCCE_flag_read(flag, &value, next);
    expect(value == 7, "flag");
    fill(out, me, MOST);
    if (me == 0) {
        RCCE_send_tagged(out, MOST, 1, tag, 28);
        RCCE_send(out, MOST, 1);
    } else if (me == 1) {
        while (!test)
            RCCE_recv_probe_tagged(0, &test, &where, got, 28);
        expect(!strcmp(got, tag) && got[27] == 0, "tag of a message");
        RCCE_recv_tagged(in, MOST, 0, got, 28);
        expect(is_from(0, MOST), "tagged message");
        expect(RCCE_recv_cancel(MOST, 0) == RCCE_SUCCESS, "cancel");
    }
}

static void wildcards(void)
{
    for (int i = 1; i < n && me == 0; i++) {
        iRCCE_RECV_REQUEST r;
        if (i % 2) {
            iRCCE_irecv(in, iRCCE_ANY_LENGTH, iRCCE_ANY_SOURCE, &r);
            expect(iRCCE_irecv_wait(&r) == iRCCE_SUCCESS, "any");
        } else {
            int from;
            iRCCE_probe(iRCCE_ANY_SOURCE, &from);
            iRCCE_srecv(in, iRCCE_get_length(), from);
        }
        int from = iRCCE_get_source(NULL);
        expect(iRCCE_get_length() == 1000 + from && is_from(from, 1000 + from), "message of any source");
    }
    if (me)
        iRCCE_ssend(out, 1000 + me, 0);
}

static void multicast(void)
{
    for (int root = 0; root < n; root++) {
        fill(me == root ? in : out, root, MOST);
        iRCCE_mcast(in, MOST, root);
        expect(is_from(root, MOST), "multicast");
        RCCE_barrier(&RCCE_COMM_WORLD);
        memset(in, 0, MOST);
    }
}

static void counters(void)
{
    iRCCE_AIR *air;
    int value;
    volatile int *count = (volatile int *)RCCE_shmalloc(64);
    iRCCE_atomic_alloc(&air);
    for (int i = 0; i < 50; i++) {
        iRCCE_atomic_inc(air, &value);
        RCCE_acquire_treelock(&RCCE_COMM_WORLD);
        int seen = *count;
        for (int k = 0; k < i % 4; k++) /* inside: else nobody meets on this board */
            __asm__ volatile("pause");
        *count = seen + 1;
        RCCE_release_treelock(&RCCE_COMM_WORLD);
        RCCE_acquire_queuelock(1);
        seen = count[1];
        for (int k = 0; k < i % 3; k++)
            __asm__ volatile("pause");
        count[1] = seen + 1;
        RCCE_release_queuelock(1);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    iRCCE_atomic_read(air, &value);
    expect(value == 50 * n, "counter");
    expect(*count == 50 * n, "count under a tree of locks");
    expect(count[1] == 50 * n, "count under a lock with a row");
}

int RCCE_APP(int argc, char **argv)
{
    RCCE_init(&argc, &argv);
    iRCCE_init();
    me = RCCE_ue();
    n = RCCE_num_ues();
    barriers();
    tags();
    wildcards();
    multicast();
    counters();
    printf("UE %d of %d: %d wrong\n", me, n, wrong);
    RCCE_finalize();
    return wrong != 0;
}
