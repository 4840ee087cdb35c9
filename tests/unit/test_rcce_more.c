/* SPDX-License-Identifier: MIT */
/* RCCE's other barriers, flags with tags, other forms of messages; iRCCE's wildcards, probes, multicast and counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <iRCCE.h>
#include <RCCE_lib.h>

#include "ues.h"

#define MOST 20000

static char sent[MOST], came[MOST + 1];
static tree_t tree;

static void fill(int seed)
{
    for (unsigned i = 0; i < MOST; i++)
        sent[i] = (char)(i * 31 + i / 256 + (unsigned)seed);
}

static int by_tree(RCCE_COMM *comm) { return RCCE_tree_barrier(comm, &tree); }

static int again(int (*nb)(RCCE_COMM *), RCCE_COMM *comm)
{
    int result;
    while ((result = nb(comm)) == RCCE_PENDING)
        sched_yield();
    return result;
}

static int by_nb(RCCE_COMM *comm) { return again(RCCE_nb_barrier, comm); }
static int by_nb_tns(RCCE_COMM *comm) { return again(RCCE_nb_TNS_barrier, comm); }
static int by_nb_air(RCCE_COMM *comm) { return again(RCCE_nb_AIR_barrier, comm); }

static int (*const kinds[])(RCCE_COMM *) = {
    by_tree,
    RCCE_tournament_barrier,
    RCCE_tournament_fixed_barrier,
    RCCE_dissemination_barrier,
    RCCE_TNS_barrier,
    by_nb_tns,
    RCCE_AIR_barrier,
    RCCE_AIR_barrier2,
    by_nb_air,
    by_nb,
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Nobody is more than one barrier ahead of anybody, whichever kind follows which. */
static void meet(RCCE_COMM *comm, volatile u32 *at, u32 from, u32 to)
{
    for (u32 i = from; i < to; i++) {
        __atomic_store_n(&at[RCCE_ue()], i, __ATOMIC_RELEASE);
        CHECK(kinds[i * 7 / 3 % N_KINDS](comm) == RCCE_SUCCESS);
        for (int rank = 0; rank < comm->size; rank++)
            CHECK(__atomic_load_n(&at[comm->member[rank]], __ATOMIC_ACQUIRE) - i <= 1);
    }
}

static int parity(int ue, void *aux) { return ue % *(int *)aux; }

static void use_barriers(void)
{
    int by = 2;
    RCCE_COMM half;
    volatile u32 *at = (volatile u32 *)RCCE_shmalloc(RCCE_MAXNP * sizeof(u32));
    CHECK(RCCE_tree_init(&RCCE_COMM_WORLD, &tree, 1 + RCCE_num_ues() % 4) == RCCE_SUCCESS);
    meet(&RCCE_COMM_WORLD, at, 1, 300); /* a byte that counts goes round */
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(RCCE_comm_split(parity, &by, &half) == RCCE_SUCCESS);
    CHECK(RCCE_tree_init(&half, &tree, 2) == RCCE_SUCCESS);
    meet(&half, at, 301, 360);
    RCCE_barrier(&RCCE_COMM_WORLD);
    at[RCCE_ue()] = 0;
}

static void nobody_leaves_any_barrier_before_all_came(void **state)
{
    ues(1, use_barriers);
    ues(2, use_barriers);
    ues(5, use_barriers);
    ues(9, use_barriers);
}

static void use_nb(void)
{
    int (*nb[])(RCCE_COMM *) = { RCCE_nb_barrier, RCCE_nb_TNS_barrier, RCCE_nb_AIR_barrier };
    for (int i = 0; i < 3; i++) {
        if (RCCE_ue()) {
            while (RCCE_recv(came, 1, 0))
                ;
            CHECK(again(nb[i], &RCCE_COMM_WORLD) == RCCE_SUCCESS);
        } else {
            CHECK(nb[i](&RCCE_COMM_WORLD) == RCCE_PENDING); /* the other one waits for a message */
            CHECK(nb[(i + 1) % 3](&RCCE_COMM_WORLD) == RCCE_REJECTED);
            CHECK(RCCE_tournament_barrier(&RCCE_COMM_WORLD) == RCCE_REJECTED);
            RCCE_send(sent, 1, 1);
            CHECK(again(nb[i], &RCCE_COMM_WORLD) == RCCE_SUCCESS);
        }
    }
}

static void a_barrier_that_does_not_wait_says_so(void **state) { ues(2, use_nb); }

static void refuse_barriers(void)
{
    RCCE_COMM none = { 0 };
    tree_t wild = { .parent = 0, .num_children = 1, .child = { 1000 } };
    CHECK(RCCE_tree_init(&none, &tree, 2) == RCCE_ERROR_COMM_UNDEFINED);
    CHECK(RCCE_tree_init(&RCCE_COMM_WORLD, &tree, 0) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(RCCE_tree_barrier(&RCCE_COMM_WORLD, &wild) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(RCCE_tournament_barrier(&none) == RCCE_ERROR_COMM_UNDEFINED);
    CHECK(RCCE_nb_barrier(&none) == RCCE_ERROR_COMM_UNDEFINED && RCCE_nb_barrier(NULL) == RCCE_ERROR_COMM_UNDEFINED);
    CHECK(RCCE_TNS_barrier(&none) == RCCE_ERROR_COMM_UNDEFINED && RCCE_AIR_barrier(&none) == RCCE_ERROR_COMM_UNDEFINED);
    none = RCCE_COMM_WORLD;
    none.label = 3;
    none.step = 1000;
    CHECK(RCCE_nb_TNS_barrier(&none) == RCCE_ERROR_COMM_UNDEFINED);
}

static void groups_and_trees_that_cannot_be_are_refused(void **state) { ues(2, refuse_barriers); }

static void tag_flags(void)
{
    RCCE_FLAG flag;
    RCCE_FLAG_STATUS status;
    char tag[40] = "a tag of 28 bytes, no more, as it is", got[40];
    int result, other = !RCCE_ue();
    CHECK(iRCCE_flag_alloc_tagged(&flag) == RCCE_SUCCESS && iRCCE_get_max_tagged_len() == 28);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_test_tagged(flag, 77, &result, got, 28) == RCCE_SUCCESS && !result);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_flag_write_tagged(&flag, 77, other, tag, 40) == RCCE_SUCCESS);
    memset(got, 0x55, sizeof(got));
    CHECK(iRCCE_wait_tagged(flag, 77, got, 40) == RCCE_SUCCESS && !memcmp(got, tag, 28) && got[28] == 0x55);
    CHECK(iRCCE_test_tagged(flag, 77, &result, got, 5) == RCCE_SUCCESS && result);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_flag_read_tagged(flag, &status, other, got, 28) == RCCE_SUCCESS && status == 77);
    CHECK(iRCCE_flag_read(flag, &status, other) == RCCE_SUCCESS && status == 77);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_flag_write(&flag, -5, other) == RCCE_SUCCESS && iRCCE_wait_until(flag, -5) == RCCE_SUCCESS);
    CHECK(iRCCE_flag_write(&flag, 1, 2) == RCCE_ERROR_ID && iRCCE_flag_write(NULL, 1, 0) == RCCE_ERROR_FLAG_UNDEFINED);
    CHECK(iRCCE_flag_read(flag, NULL, 0) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(iRCCE_wait_until((RCCE_FLAG)sent, 1) == RCCE_ERROR_FLAG_NOT_IN_COMM_BUFFER);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_flag_free_tagged(&flag) == RCCE_SUCCESS);
}

static void a_flag_carries_a_value_and_28_bytes(void **state) { ues(2, tag_flags); }

static void other_forms(void)
{
    char tag[28] = "message 1", got[28];
    int test = 7;
    t_vcharp where;
    fill(1);
    if (RCCE_ue()) {
        CHECK(RCCE_recv_probe(0, &test, &where) == RCCE_SUCCESS && !test && !where);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(RCCE_recv_probe_tagged(0, NULL, &where, got, 28) == RCCE_SUCCESS && !memcmp(got, tag, 28));
        CHECK(!memcmp((char *)where, sent, HALF));
        CHECK(RCCE_recv_probe(0, &test, NULL) == RCCE_SUCCESS && test);
        CHECK(RCCE_recv_tagged(came, MOST, 0, got, 28) == RCCE_SUCCESS && !memcmp(came, sent, MOST));
        CHECK(RCCE_recv_tagged(NULL, 0, 0, got, 4) == RCCE_SUCCESS && !memcmp(got, "zero", 4));
        CHECK(RCCE_recv_cancel(MOST, 0) == RCCE_SUCCESS); /* nowhere */
        CHECK(RCCE_recv_pipe(came, 5, 0) == RCCE_SUCCESS && !memcmp(came, "after", 5));
    } else {
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(RCCE_send_tagged(sent, MOST, 1, tag, 100) == RCCE_SUCCESS);
        CHECK(RCCE_send_tagged(NULL, 0, 1, "zero", 4) == RCCE_SUCCESS);
        CHECK(RCCE_send(sent, MOST, 1) == RCCE_SUCCESS && RCCE_send_pipe("after", 5, 1) == RCCE_SUCCESS);
        CHECK(RCCE_send_tagged(sent, 8, 2, tag, 4) == RCCE_ERROR_ID);
        CHECK(RCCE_recv_probe(0, &test, &where) == RCCE_ERROR_ID && RCCE_recv_cancel(1, 7) == RCCE_ERROR_ID);
    }
}

static void messages_have_tags_are_probed_and_thrown_away(void **state) { ues(2, other_forms); }

static void cast(void)
{
    static const size_t sizes[] = { 1, 32, HALF, HALF + 1, 2 * HALF + 1, MOST };
    for (int root = 0; root < RCCE_num_ues(); root++)
        for (unsigned i = 0; i < 6; i++) {
            fill(root + (int)i);
            memset(came, 0x55, sizeof(came));
            if (RCCE_ue() == root)
                CHECK((i % 2 ? RCCE_send_mcast(sent, sizes[i]) : iRCCE_msend(sent, (ssize_t)sizes[i])) == RCCE_SUCCESS);
            else if (i % 2)
                CHECK(RCCE_recv_mcast(came, sizes[i], root) == RCCE_SUCCESS);
            else
                CHECK(iRCCE_mrecv(came, iRCCE_ANY_LENGTH, iRCCE_ANY_SOURCE) == iRCCE_SUCCESS &&
                      iRCCE_get_source(NULL) == root && iRCCE_get_length() == (int)sizes[i]);
            CHECK(RCCE_ue() == root || (!memcmp(sent, came, sizes[i]) && came[sizes[i]] == 0x55));
        }
    fill(9);
    memcpy(came, sent, MOST);
    CHECK(iRCCE_bcast(RCCE_ue() == 1 ? sent : came, 5000, 1, RCCE_COMM_WORLD) == RCCE_SUCCESS);
    CHECK(!memcmp(sent, came, 5000) && iRCCE_mcast(came, 8, 77) == RCCE_ERROR_ID);
    CHECK(iRCCE_barrier(NULL) == RCCE_SUCCESS && iRCCE_barrier(&RCCE_COMM_WORLD) == RCCE_SUCCESS);
}

static void a_multicast_reaches_everyone(void **state)
{
    ues(2, cast);
    ues(6, cast);
}

/* UE 0 takes one message of each other UE, whichever comes first, and knows neither who nor how long. */
static void take_any(void)
{
    int n = RCCE_num_ues(), me = RCCE_ue(), seen = 0, flag, rank;
    fill(me);
    for (int round = 0; round < 6; round++) {
        RCCE_barrier(&RCCE_COMM_WORLD);
        if (me) {
            CHECK(iRCCE_ssend(sent, 100 * me + round, 0) == iRCCE_SUCCESS);
            continue;
        }
        for (int i = 1; i < n; i++) {
            iRCCE_RECV_REQUEST r;
            int result;
            switch (round) {
            case 0: result = iRCCE_srecv(came, iRCCE_ANY_LENGTH, iRCCE_ANY_SOURCE); break;
            case 1:
                result = iRCCE_irecv(came, iRCCE_ANY_LENGTH, iRCCE_ANY_SOURCE, &r);
                CHECK(result == iRCCE_SUCCESS || result == iRCCE_RESERVED || result == iRCCE_PENDING);
                result = iRCCE_irecv_wait(&r);
                CHECK(iRCCE_get_source(&r) == iRCCE_get_source(NULL));
                CHECK(iRCCE_get_size(NULL, &r) == iRCCE_get_length());
                break;
            case 2:
                CHECK(iRCCE_probe(iRCCE_ANY_SOURCE, &rank) == iRCCE_SUCCESS && rank > 0);
                CHECK(iRCCE_get_length() == 100 * rank + round);
                result = iRCCE_srecv(came, iRCCE_get_length(), rank);
                break;
            case 3:
                for (flag = 0; !flag;)
                    CHECK(iRCCE_iprobe(iRCCE_ANY_SOURCE, &rank, &flag) == iRCCE_SUCCESS && flag == (rank != -1));
                result = RCCE_recv(came, (size_t)iRCCE_get_length(), rank);
                break;
            case 4:
                do
                    result = iRCCE_srecv_test(came, iRCCE_ANY_LENGTH, iRCCE_ANY_SOURCE, &flag);
                while (result == iRCCE_PENDING && !flag);
                break;
            default: result = iRCCE_irecv(came, iRCCE_ANY_LENGTH, iRCCE_ANY_SOURCE, NULL);
            }
            int from = iRCCE_get_source(NULL);
            CHECK(result == iRCCE_SUCCESS && from > 0 && from < n && iRCCE_get_length() == 100 * from + round);
            fill(from);
            CHECK(!memcmp(came, sent, (size_t)iRCCE_get_length()));
            seen += from;
        }
    }
    CHECK(me || seen == 6 * n * (n - 1) / 2);
    CHECK(!rcce.push);
}

static void any_source_and_any_length_are_found_out(void **state)
{
    ues(2, take_any);
    ues(7, take_any);
}

/* Requests for any source beside those for one: nobody takes the other one's message. */
static void mixed(void)
{
    static char a[8], b[8], c[8];
    iRCCE_RECV_REQUEST any, one, later;
    iRCCE_SEND_REQUEST request;
    int test = 7, me = RCCE_ue();
    if (me == 0) {
        CHECK(iRCCE_irecv(a, 8, 1, &one) == iRCCE_PENDING &&
              iRCCE_irecv(b, 8, iRCCE_ANY_SOURCE, &any) == iRCCE_RESERVED);
        CHECK(iRCCE_irecv(c, 8, iRCCE_ANY_SOURCE, &later) == iRCCE_RESERVED);
        CHECK(iRCCE_irecv_cancel(&later, &test) == iRCCE_SUCCESS && test && iRCCE_get_source(&any) == iRCCE_ANY_SOURCE);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_irecv_wait(NULL) == iRCCE_SUCCESS && !memcmp(a, "from  1", 8) && !memcmp(b, "from  2", 8));
        CHECK(iRCCE_get_source(&any) == 2 && iRCCE_iprobe(1, NULL, &test) == iRCCE_SUCCESS && !test);
        CHECK(iRCCE_irecv(a, 8, 1, &one) == iRCCE_PENDING && iRCCE_irecv_cancel(&one, &test) == iRCCE_SUCCESS && test);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_irecv(b, 8, iRCCE_ANY_SOURCE, &any) == iRCCE_RESERVED);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(RCCE_recv(came, MOST, 1) == RCCE_SUCCESS && !memcmp(came, sent, MOST)); /* all of it, not the request */
        CHECK(iRCCE_irecv_wait(&any) == iRCCE_SUCCESS && !memcmp(b, "after 1", 8));
        CHECK(iRCCE_issend(NULL, 0, 1, &request) == iRCCE_PENDING && iRCCE_issend_wait(&request) == iRCCE_SUCCESS);
        CHECK(iRCCE_ssend(NULL, 0, 1) == iRCCE_SUCCESS && iRCCE_get_dest(&request) == 1);
        CHECK(iRCCE_get_dest(NULL) == iRCCE_ERROR && iRCCE_get_size(&request, NULL) == 1);
        return;
    }
    char text[] = "from   ";
    text[6] = (char)('0' + me);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_issend(text, 8, 0, &request) != iRCCE_RESERVED && iRCCE_issend_wait(&request) == iRCCE_SUCCESS);
    RCCE_barrier(&RCCE_COMM_WORLD);
    RCCE_barrier(&RCCE_COMM_WORLD);
    if (me != 1)
        return;
    CHECK(RCCE_send(sent, MOST, 0) == RCCE_SUCCESS);
    CHECK(RCCE_send("after 1", 8, 0) == RCCE_SUCCESS);
    CHECK(iRCCE_srecv(NULL, 0, 0) == iRCCE_SUCCESS);
    CHECK(iRCCE_isrecv(NULL, 0, 0, &one) >= iRCCE_RESERVED && iRCCE_isrecv_wait(&one) == iRCCE_SUCCESS);
}

static void requests_for_any_source_take_nobodys_message(void **state) { ues(3, mixed); }

/* What a sender says of its message is another core's word. */
static void rubbish(void)
{
    iRCCE_RECV_REQUEST r;
    if (RCCE_ue() == 0) {
        memset(came, 0x55, sizeof(came));
        RCCE_barrier(&RCCE_COMM_WORLD);
        rcce.mpb[1]->size = 0;
        CHECK(iRCCE_irecv(came, iRCCE_ANY_LENGTH, 1, &r) == iRCCE_PENDING && came[0] == 0x55);
        rcce.mpb[1]->size = 0xfffffff0;
        CHECK(iRCCE_irecv_test(&r, NULL) == iRCCE_PENDING && came[0] == 0x55);
        rcce.mpb[1]->size = 8;
        CHECK(iRCCE_irecv_wait(&r) == iRCCE_SUCCESS && !memcmp(came, sent, 8) && came[8] == 0x55);
    } else {
        iRCCE_SEND_REQUEST s;
        CHECK(iRCCE_isend(sent, 8, 0, &s) == iRCCE_PENDING);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(iRCCE_isend_wait(&s) == iRCCE_SUCCESS);
    }
}

static void a_length_that_cannot_be_is_as_no_message(void **state) { ues(2, rubbish); }

static void count(void)
{
    iRCCE_AIR *air, *other, foreign = { NULL, NULL };
    int value, most = -1;
    CHECK(iRCCE_atomic_alloc(&air) == iRCCE_SUCCESS && iRCCE_atomic_alloc(&other) == iRCCE_SUCCESS && air != other);
    for (int i = 0; i < 1000; i++) {
        CHECK(iRCCE_atomic_inc(air, &value) == iRCCE_SUCCESS && value > most);
        most = value;
    }
    CHECK(iRCCE_atomic_inc(other, NULL) == iRCCE_SUCCESS);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_atomic_read(air, &value) == iRCCE_SUCCESS && value == 1000 * RCCE_num_ues());
    CHECK(iRCCE_atomic_read(other, &value) == iRCCE_SUCCESS && value == RCCE_num_ues());
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_atomic_write(air, 5) == iRCCE_SUCCESS);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(iRCCE_atomic_read(air, &value) == iRCCE_SUCCESS && value == 5);
    CHECK(iRCCE_atomic_inc(&foreign, &value) == iRCCE_ERROR && iRCCE_atomic_read(NULL, &value) == iRCCE_ERROR);
    int n = 2;
    while (iRCCE_atomic_alloc(&other) == iRCCE_SUCCESS)
        n++;
    CHECK(n == 96);
}

static void counters_count_every_increment(void **state) { ues(4, count); }

static void treelock(void)
{
    volatile u32 *number = (volatile u32 *)RCCE_shmalloc(4);
    for (int i = 0; i < 500; i++) {
        CHECK(RCCE_acquire_treelock(&RCCE_COMM_WORLD) == RCCE_SUCCESS);
        u32 seen = *number;
        if (i % 16 == 0)
            sched_yield();
        *number = seen + 1;
        CHECK(RCCE_release_treelock(&RCCE_COMM_WORLD) == RCCE_SUCCESS);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(*number == 500u * (u32)RCCE_num_ues());
    for (int ue = 0; ue < RCCE_num_ues(); ue++)
        CHECK(*rcce.lock[ue] == 0);
    RCCE_barrier(&RCCE_COMM_WORLD);
    *number = 0;
}

static void a_tree_of_locks_has_one_owner(void **state)
{
    ues(1, treelock);
    ues(3, treelock);
    ues(6, treelock);
}

static void queue(void)
{
    volatile u32 *number = (volatile u32 *)RCCE_shmalloc(4);
    int me = RCCE_ue();
    for (int i = 0; i < 500; i++) {
        CHECK(RCCE_acquire_queuelock(0) == RCCE_SUCCESS && RCCE_acquire_queuelock(1 % RCCE_num_ues()) == RCCE_REJECTED);
        u32 seen = *number;
        if (i % 16 == 0)
            sched_yield();
        *number = seen + 1;
        CHECK(RCCE_release_queuelock(0) == RCCE_SUCCESS && RCCE_release_queuelock(0) == RCCE_ERROR_ID);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(*number == 500u * (u32)RCCE_num_ues() && !rcce.registers->tail[0][0]);
    CHECK(RCCE_acquire_queuelock(RCCE_num_ues()) == RCCE_ERROR_ID);
    RCCE_barrier(&RCCE_COMM_WORLD);
    *number = 0;
    CHECK(RCCE_acquire_queuelock(me) == RCCE_SUCCESS); /* each core has one */
    rcce.own->behind = 77;                             /* rubbish names nobody */
    CHECK(RCCE_release_queuelock(me) == RCCE_SUCCESS);
}

static void a_lock_with_a_row_has_one_owner(void **state)
{
    ues(1, queue);
    ues(3, queue);
    ues(6, queue);
}

/* RCCE's own numbers, as a program sees them that does not include iRCCE.h. */
#undef RCCE_isend
#undef RCCE_isend_wait
#undef RCCE_irecv
#undef RCCE_irecv_test
#undef RCCE_irecv_wait
#undef RCCE_irecv_push

static void own_requests(void)
{
    RCCE_SEND_REQUEST s;
    RCCE_RECV_REQUEST r, second;
    int test;
    if (RCCE_ue()) {
        CHECK(RCCE_irecv(came, 8, 0, &r) == RCCE_PENDING && RCCE_irecv(came + 8, 8, 0, &second) == RCCE_RESERVED);
        CHECK(RCCE_irecv(came, 8, 0, &r) == RCCE_REJECTED &&
              RCCE_irecv(came, (size_t)-1, 0, &r) == RCCE_ERROR_MESSAGE_LENGTH);
        CHECK(RCCE_irecv(came, 8, -1, &r) == RCCE_ERROR_ID);
        CHECK(RCCE_irecv_test(&second, &test) == RCCE_RESERVED && !test && RCCE_irecv_push(0) == RCCE_PENDING);
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(RCCE_irecv_wait(&second) == RCCE_SUCCESS && r.finished && !memcmp(came, sent, 16));
    } else {
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(RCCE_isend(sent, 8, 1, &s) != RCCE_RESERVED && RCCE_isend_wait(&s) == RCCE_SUCCESS);
        CHECK(RCCE_send(sent + 8, 8, 1) == RCCE_SUCCESS);
    }
}

static void rcces_own_requests_have_its_numbers(void **state) { ues(2, own_requests); }

static void one_board(void)
{
    int numbers[] = { 5, 3, 9 };
    CHECK(RCCE_dev() == 0 && RCCE_num_dev() == 1 && RCCE_dev_ue() == RCCE_ue());
    CHECK(RCCE_num_ues_dev(0) == 2 && RCCE_num_ues_dev(1) == 0 && RCCE_ue_to_dev(1) == 0 && RCCE_ue_to_dev(2) == -1);
    CHECK(RC_COMM_BUFFER_START(1) == (t_vcharp)rcce.mpb[1]->lines && !RC_COMM_BUFFER_START(2));
    CHECK(RCCE_qsort((char *)numbers, 3, sizeof(int), id_compare) == RCCE_SUCCESS && numbers[0] == 3 &&
          numbers[2] == 9);
    CHECK(RCCE_global_color(1, NULL) == RCCE_global_color(0, NULL) && RCCE_error_return(0, 5) == 5);
    t_vcharp line = iRCCE_malloc(32);
    CHECK(line && iRCCE_put(line, (t_vcharp)sent, 32, RCCE_ue()) == RCCE_SUCCESS);
    CHECK(iRCCE_get((t_vcharp)came, line, 32, RCCE_ue()) == RCCE_SUCCESS && !memcmp(came, sent, 32));
    CHECK(RCCE_put_flag(line, (t_vcharp)sent, 33, 0) == RCCE_ERROR_MESSAGE_LENGTH);
    CHECK(RCCE_get_flag((t_vcharp)came, line, 32, 2) == RCCE_ERROR_ID);
    CHECK(RCCE_memcpy((void *)line, "seven b", 8) == (void *)line && iRCCE_memcpy_get(came, (void *)line, 8) == came);
    CHECK(!memcmp(came, "seven b", 8));
}

static void the_rest_is_there(void **state) { ues(2, one_board); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nobody_leaves_any_barrier_before_all_came, ues_clear),
        cmocka_unit_test_setup(a_barrier_that_does_not_wait_says_so, ues_clear),
        cmocka_unit_test_setup(groups_and_trees_that_cannot_be_are_refused, ues_clear),
        cmocka_unit_test_setup(a_flag_carries_a_value_and_28_bytes, ues_clear),
        cmocka_unit_test_setup(messages_have_tags_are_probed_and_thrown_away, ues_clear),
        cmocka_unit_test_setup(a_multicast_reaches_everyone, ues_clear),
        cmocka_unit_test_setup(any_source_and_any_length_are_found_out, ues_clear),
        cmocka_unit_test_setup(requests_for_any_source_take_nobodys_message, ues_clear),
        cmocka_unit_test_setup(a_length_that_cannot_be_is_as_no_message, ues_clear),
        cmocka_unit_test_setup(counters_count_every_increment, ues_clear),
        cmocka_unit_test_setup(a_tree_of_locks_has_one_owner, ues_clear),
        cmocka_unit_test_setup(a_lock_with_a_row_has_one_owner, ues_clear),
        cmocka_unit_test_setup(rcces_own_requests_have_its_numbers, ues_clear),
        cmocka_unit_test_setup(the_rest_is_there, ues_clear),
    };
    return cmocka_run_group_tests(tests, ues_setup, NULL);
}
