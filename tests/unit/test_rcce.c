/* SPDX-License-Identifier: MIT */
/* RCCE: what is sent arrives, what is wrong is refused, and what other cores write into the buffers is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <RCCE_lib.h>
#include <signal.h>

#include "ues.h"

#define MOST 100000

static char sent[MOST], came[MOST + 1];

static void fill(int seed)
{
    for (unsigned i = 0; i < MOST; i++)
        sent[i] = (char)(i * 31 + i / 256 + (unsigned)seed);
}

static const size_t sizes[] = { 0, 1, 31, 32, 33, HALF - 1, HALF, HALF + 1, 2 * HALF, 2 * HALF + 1, 5 * HALF, MOST };
#define N_SIZES (int)(sizeof(sizes) / sizeof(sizes[0]))

/* Each sends to the next one and takes from the one before, the even ones first. */
static void send_around(void)
{
    int n = RCCE_num_ues(), me = RCCE_ue(), to = (me + 1) % n, from = (me + n - 1) % n;
    for (int i = 0; i < N_SIZES; i++) {
        fill(i);
        memset(came, 0x55, sizeof(came));
        if (me % 2 == 0)
            CHECK(RCCE_send(sent, sizes[i], to) == RCCE_SUCCESS);
        CHECK(RCCE_recv(came, sizes[i], from) == RCCE_SUCCESS);
        if (me % 2)
            CHECK(RCCE_send(sent, sizes[i], to) == RCCE_SUCCESS);
        CHECK(!memcmp(sent, came, sizes[i]) && came[sizes[i]] == 0x55);
    }
}

static void messages_of_all_sizes_arrive(void **state)
{
    ues(2, send_around);
    ues(5, send_around);
}

static void test_then_receive(void)
{
    int test = 7;
    if (RCCE_ue()) {
        CHECK(RCCE_recv_test(came, 64, 0, &test) == RCCE_SUCCESS && test == 0);
        RCCE_barrier(&RCCE_COMM_WORLD);
        while (!test)
            CHECK(RCCE_recv_test(came, 64, 0, &test) == RCCE_SUCCESS);
        CHECK(!memcmp(came, sent, 64));
    } else {
        RCCE_barrier(&RCCE_COMM_WORLD);
        CHECK(RCCE_send(sent, 64, 1) == RCCE_SUCCESS);
    }
}

static void recv_test_takes_what_waits(void **state)
{
    fill(3);
    ues(2, test_then_receive);
}

/* Buffers are clear then. After 255 messages a count of the first run would take the 0 there for the next one. */
static void begin_twice(void)
{
    int me = RCCE_ue();
    for (int i = 0; i < 255; i++)
        CHECK(!(me ? RCCE_recv(came, 64, 0) : RCCE_send(sent, 64, 1)));
    CHECK(RCCE_finalize() == RCCE_SUCCESS);
    CHECK(ues_init(2, me, RCCE_init) == RCCE_SUCCESS);
    memset(came, 0, 64);
    test_then_receive();
}

static void a_second_run_of_a_program_counts_anew(void **state)
{
    fill(4);
    ues(2, begin_twice);
}

static void wrong_words(void)
{
    int x;
    CHECK(RCCE_send(sent, 8, 2) == RCCE_ERROR_ID && RCCE_send(sent, 8, -1) == RCCE_ERROR_ID);
    CHECK(RCCE_send(sent, 8, RCCE_ue()) == RCCE_ERROR_ID);
    CHECK(RCCE_recv(came, 8, 48) == RCCE_ERROR_ID && RCCE_recv_test(came, 8, 7, &x) == RCCE_ERROR_ID);
    CHECK(RCCE_send(NULL, 8, !RCCE_ue()) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(RCCE_recv_test(came, 8, !RCCE_ue(), NULL) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(RCCE_bcast(sent, 8, 2, RCCE_COMM_WORLD) == RCCE_ERROR_ID);
    RCCE_COMM none = { 0 };
    CHECK(RCCE_barrier(&none) == RCCE_ERROR_COMM_UNDEFINED && RCCE_barrier(NULL) == RCCE_ERROR_COMM_UNDEFINED);
    RCCE_COMM wild = RCCE_COMM_WORLD;
    wild.member[1] = 1000;
    CHECK(RCCE_bcast(sent, 8, 0, wild) == RCCE_ERROR_COMM_UNDEFINED);
    CHECK(RCCE_reduce(sent, came, 1, RCCE_INT + 4, RCCE_SUM, 0, RCCE_COMM_WORLD) == RCCE_ERROR_ILLEGAL_TYPE);
    CHECK(RCCE_reduce(sent, came, 1, RCCE_INT, RCCE_SUM - 1, 0, RCCE_COMM_WORLD) == RCCE_ERROR_ILLEGAL_OP);
    CHECK(RCCE_reduce(sent, came, -1, RCCE_INT, RCCE_SUM, 0, RCCE_COMM_WORLD) == RCCE_ERROR_MESSAGE_LENGTH);
    CHECK(RCCE_acquire_lock(2) == RCCE_ERROR_ID && RCCE_release_lock(-1) == RCCE_ERROR_ID);
    CHECK(RCCE_comm_free(&RCCE_COMM_WORLD) == RCCE_ERROR_COMM_UNDEFINED);
}

static void wrong_arguments_are_refused(void **state) { ues(2, wrong_words); }

static void use_memory(void)
{
    int other = !RCCE_ue();
    t_vcharp a = RCCE_malloc(64), b = RCCE_malloc(32);
    CHECK(a && b == a + 64 && !RCCE_malloc(31) && !RCCE_malloc(0) && !RCCE_malloc(8192));
    RCCE_free(a);
    CHECK(RCCE_malloc(96) == b + 32 && RCCE_malloc(64) == a); /* first fit */
    CHECK(RCCE_put(a, (t_vcharp)sent, 64, 2) == RCCE_ERROR_ID);
    CHECK(RCCE_put(a, (t_vcharp)sent, 33, other) == RCCE_ERROR_MESSAGE_LENGTH);
    CHECK(RCCE_put(a, (t_vcharp)sent, -32, other) == RCCE_ERROR_MESSAGE_LENGTH);
    CHECK(RCCE_put(a + 4, (t_vcharp)sent, 32, other) == RCCE_ERROR_ALIGNMENT);
    CHECK(RCCE_put((t_vcharp)sent, a, 32, other) == RCCE_ERROR_TARGET);
    CHECK(RCCE_put(a, (t_vcharp)sent, 8192, other) == RCCE_ERROR_TARGET);
    CHECK(RCCE_put((t_vcharp)rcce.own, (t_vcharp)sent, 32, other) == RCCE_ERROR_TARGET); /* the library's */
    CHECK(RCCE_put(a, a, 32, RCCE_ue()) == RCCE_ERROR_DATA_OVERLAP);
    CHECK(RCCE_get((t_vcharp)came, (t_vcharp)sent, 32, other) == RCCE_ERROR_SOURCE);
    CHECK(RCCE_get(a, (t_vcharp)rcce.mpb[other]->lines, 32, other) == RCCE_ERROR_SOURCE); /* not the caller's own */
    fill(RCCE_ue());
    CHECK(RCCE_put(a, (t_vcharp)sent, 64, other) == RCCE_SUCCESS);
    RCCE_barrier(&RCCE_COMM_WORLD);
    fill(other);
    CHECK(!memcmp((char *)a, sent, 64)); /* what the other one put here */
    fill(RCCE_ue());
    CHECK(RCCE_get((t_vcharp)came, a, 64, other) == RCCE_SUCCESS && !memcmp(came, sent, 64));
    RCCE_barrier(&RCCE_COMM_WORLD);
}

static void put_and_get_reach_the_same_offset_and_check_all(void **state) { ues(2, use_memory); }

static void use_all_of_it(void)
{
    size_t got;
    CHECK(RCCE_malloc_request(8192, &got) && got == rcce.n_lines * RCCE_LINE_SIZE && got == 4320);
    CHECK(!RCCE_malloc(32) && !RCCE_malloc_request(32, &got) && got == 0);
    CHECK(RCCE_send(sent, 8, !RCCE_ue()) == RCCE_ERROR_MALLOC); /* the simple one, without its buffer */
}

static void the_gory_interface_has_all_memory(void **state) { ues_with(2, use_all_of_it, RCCE_init_gory); }

static void use_flags(void)
{
    RCCE_FLAG flag, other_flag, outside = (RCCE_FLAG)sent;
    RCCE_FLAG_STATUS status;
    int set, other = !RCCE_ue();
    CHECK(RCCE_flag_alloc(&flag) == RCCE_SUCCESS && RCCE_flag_alloc(&other_flag) == RCCE_SUCCESS);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(RCCE_flag_write(&flag, 2, other) == RCCE_ERROR_FLAG_STATUS_UNDEFINED);
    CHECK(RCCE_flag_write(&flag, RCCE_FLAG_SET, 2) == RCCE_ERROR_ID);
    CHECK(RCCE_flag_write(NULL, RCCE_FLAG_SET, other) == RCCE_ERROR_FLAG_UNDEFINED);
    CHECK(RCCE_flag_write(&outside, RCCE_FLAG_SET, other) == RCCE_ERROR_FLAG_NOT_IN_COMM_BUFFER);
    CHECK(RCCE_flag_read(flag, NULL, other) == RCCE_ERROR_VAL_UNDEFINED);
    CHECK(RCCE_wait_until(outside, RCCE_FLAG_SET) == RCCE_ERROR_FLAG_NOT_IN_COMM_BUFFER);
    CHECK(RCCE_test_flag(flag, RCCE_FLAG_UNSET, &set) == RCCE_SUCCESS && set && !RCCE_probe(other_flag));
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(RCCE_flag_write(&other_flag, RCCE_FLAG_SET, other) == RCCE_SUCCESS);
    CHECK(RCCE_wait_until(other_flag, RCCE_FLAG_SET) == RCCE_SUCCESS && RCCE_probe(other_flag));
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(RCCE_flag_read(other_flag, &status, other) == RCCE_SUCCESS && status == RCCE_FLAG_SET);
    CHECK(RCCE_flag_free(&flag) == RCCE_SUCCESS && !flag && RCCE_flag_free(&flag) == RCCE_ERROR_FLAG_UNDEFINED);
    int n = 0;
    while (RCCE_flag_alloc(&flag) == RCCE_SUCCESS)
        n++;
    CHECK(n == (int)rcce.n_lines - COMBUF - 1);
}

static void flags_are_written_there_and_read_here(void **state) { ues(2, use_flags); }

static void send_gory(void)
{
    RCCE_FLAG ready, flag, probe = NULL;
    int test = 1, me = RCCE_ue();
    t_vcharp buffer = RCCE_malloc(256);
    RCCE_flag_alloc(&ready);
    RCCE_flag_alloc(&flag);
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(RCCE_send_gory(sent, buffer, 255, &ready, &flag, 8, !me) == RCCE_ERROR_MESSAGE_LENGTH);
    CHECK(RCCE_send_gory(sent, buffer, 8192, &ready, &flag, 8, !me) == RCCE_ERROR_TARGET);
    CHECK(RCCE_send_gory(sent, buffer, 256, NULL, &flag, 8, !me) == RCCE_ERROR_FLAG_UNDEFINED);
    CHECK(RCCE_send_gory(sent, buffer, 256, &probe, &flag, 8, !me) == RCCE_ERROR_FLAG_NOT_IN_COMM_BUFFER);
    RCCE_barrier(&RCCE_COMM_WORLD);
    for (int i = 0; i < N_SIZES; i++) {
        fill(i);
        if (me)
            CHECK(RCCE_send_gory(sent, buffer, 256, &ready, &flag, sizes[i], 0) == RCCE_SUCCESS);
        else if (i % 2)
            CHECK(RCCE_recv_gory(came, buffer, 256, &ready, &flag, sizes[i], 1, NULL) == RCCE_SUCCESS);
        else
            for (test = !sizes[i]; !test;)
                CHECK(RCCE_recv_test_gory(came, buffer, 256, &ready, &flag, sizes[i], 1, &test, NULL) == RCCE_SUCCESS);
        CHECK(me || !memcmp(sent, came, sizes[i]));
    }
}

static void the_gory_interface_sends_by_the_applications_flags(void **state) { ues_with(2, send_gory, RCCE_init_gory); }

static void meet_often(void)
{
    u32 *at = (u32 *)RCCE_shmalloc(RCCE_MAXNP * sizeof(u32));
    for (u32 i = 1; i <= 100; i++) {
        __atomic_store_n(&at[RCCE_ue()], i, __ATOMIC_RELEASE);
        CHECK(RCCE_barrier(&RCCE_COMM_WORLD) == RCCE_SUCCESS);
        for (int ue = 0; ue < RCCE_num_ues(); ue++)
            CHECK(__atomic_load_n(&at[ue], __ATOMIC_ACQUIRE) - i <= 1);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    at[RCCE_ue()] = 0;
}

static void nobody_leaves_a_barrier_before_all_came(void **state)
{
    ues(1, meet_often);
    ues(2, meet_often);
    ues(7, meet_often);
    ues(24, meet_often);
}

static int third(int ue, void *aux) { return ue % *(int *)aux; }

static void split_in_three(void)
{
    int by = 3, size, rank, me = RCCE_ue(), members = (RCCE_num_ues() - me % 3 + 2) / 3;
    RCCE_COMM comm;
    for (int again = 0; again < 3; again++) {
        CHECK(RCCE_comm_split(third, &by, &comm) == RCCE_SUCCESS);
        CHECK(RCCE_comm_size(comm, &size) == RCCE_SUCCESS && size == members);
        CHECK(RCCE_comm_rank(comm, &rank) == RCCE_SUCCESS && rank == me / 3);
        for (int i = 0; i < 20 + me % 3; i++) /* groups do not wait for each other */
            CHECK(RCCE_barrier(&comm) == RCCE_SUCCESS);
        int own = me + 1, sum = 0, want = 0;
        for (int ue = me % 3; ue < RCCE_num_ues(); ue += 3)
            want += ue + 1;
        CHECK(RCCE_allreduce((char *)&own, (char *)&sum, 1, RCCE_INT, RCCE_SUM, comm) == RCCE_SUCCESS && sum == want);
        CHECK(RCCE_comm_free(&comm) == RCCE_SUCCESS && RCCE_barrier(&comm) == RCCE_ERROR_COMM_UNDEFINED);
    }
}

static void groups_have_barriers_of_their_own(void **state) { ues(8, split_in_three); }

static int half(int ue, void *aux) { return ue / 2; }

/* The groups before have had unequal numbers of barriers in the same line. */
static void split_anew(void)
{
    volatile u32 *at = (volatile u32 *)RCCE_shmalloc(RCCE_MAXNP * sizeof(u32));
    int by = 2, me = RCCE_ue();
    RCCE_COMM before, now;
    alarm(10);
    CHECK(RCCE_comm_split(third, &by, &before) == RCCE_SUCCESS);
    for (int i = 0; i < (me % 2 ? 2 : 10); i++)
        CHECK(RCCE_barrier(&before) == RCCE_SUCCESS);
    CHECK(RCCE_comm_free(&before) == RCCE_SUCCESS);
    CHECK(RCCE_comm_split(half, NULL, &now) == RCCE_SUCCESS);
    for (u32 i = 1; i <= 5; i++) {
        if (me % 2 == 0)
            usleep(2000);
        at[me] = i;
        CHECK(RCCE_barrier(&now) == RCCE_SUCCESS && at[me ^ 1] >= i);
    }
}

static void a_group_counts_its_barriers_from_its_split_on(void **state) { ues(4, split_anew); }

/* UE 1 has no line for the group of odd UEs. */
static void split_without_memory(void)
{
    RCCE_COMM comm;
    t_vcharp line = NULL;
    int by = 2;
    bool odd = RCCE_ue() % 2;
    alarm(10);
    if (RCCE_ue() != 1)
        RCCE_free(line = RCCE_malloc(RCCE_LINE_SIZE));
    while (RCCE_ue() == 1 && RCCE_malloc(RCCE_LINE_SIZE))
        ;
    for (int i = 0; i < 2; i++) {
        CHECK(RCCE_comm_split(third, &by, &comm) == (odd ? RCCE_ERROR_MALLOC : RCCE_SUCCESS));
        CHECK(RCCE_barrier(&comm) == (odd ? RCCE_ERROR_COMM_UNDEFINED : RCCE_SUCCESS));
        CHECK(odd || RCCE_comm_free(&comm) == RCCE_SUCCESS);
    }
    CHECK(RCCE_ue() == 1 || RCCE_malloc(RCCE_LINE_SIZE) == line);
    CHECK(RCCE_barrier(&RCCE_COMM_WORLD) == RCCE_SUCCESS);
}

static void all_of_a_group_are_told_that_one_has_no_memory_for_it(void **state) { ues(4, split_without_memory); }

/* In each barrier the last UE is late. */
static void late_barriers(RCCE_COMM *comm, int (*barrier)(RCCE_COMM *comm))
{
    volatile u32 *at = (volatile u32 *)RCCE_shmalloc(RCCE_MAXNP * sizeof(u32));
    int me = RCCE_ue(), last = RCCE_num_ues() - 1;
    for (u32 i = 1; i <= 4; i++) {
        if (me == last)
            usleep(2000);
        at[me] = i;
        CHECK(barrier(comm) == RCCE_SUCCESS && at[last] >= i);
    }
    CHECK(RCCE_barrier(&RCCE_COMM_WORLD) == RCCE_SUCCESS);
    at[me] = 0;
    CHECK(RCCE_barrier(&RCCE_COMM_WORLD) == RCCE_SUCCESS);
    RCCE_shfree((t_vcharp)at);
}

static int by_tree(RCCE_COMM *comm)
{
    tree_t tree;
    return RCCE_tree_init(comm, &tree, 2) || RCCE_tree_barrier(comm, &tree);
}

/* As after that many barriers of another kind, which have other words. */
static void count_from(RCCE_COMM *comm, u32 number)
{
    struct rcce_words g;
    CHECK(!rcce_group(comm, &g));
    *g.number = number;
}

static void change_of_kind(void)
{
    static int (*const kinds[])(RCCE_COMM *) = { RCCE_barrier, by_tree, RCCE_tournament_barrier,
                                                 RCCE_tournament_fixed_barrier };
    static const u32 numbers[] = { 0x7ffffffe, 0x80000000, 0x80000002, 0xfffffffd };
    alarm(30);
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
            RCCE_COMM comm;
            CHECK(RCCE_comm_split(RCCE_global_color, NULL, &comm) == RCCE_SUCCESS);
            count_from(&comm, numbers[i]);
            late_barriers(&comm, kinds[kind]);
            CHECK(RCCE_comm_free(&comm) == RCCE_SUCCESS);
        }
}

static void a_group_waits_in_its_first_barrier_of_another_kind_at_any_number(void **state) { ues(3, change_of_kind); }

static void collect(void)
{
    int me = RCCE_ue(), n = RCCE_num_ues();
    for (int root = 0; root < n; root++) {
        fill(root);
        memcpy(came, sent, MOST);
        if (me != root)
            memset(came, 0, MOST);
        CHECK(RCCE_bcast(came, 5000, root, RCCE_COMM_WORLD) == RCCE_SUCCESS && !memcmp(came, sent, 5000));
    }
    double x[300], out[300], want = 0;
    for (int ue = 0; ue < n; ue++)
        want = ue ? want + 1.0 / (ue + 3) : 1.0 / 3; /* in the order of ranks */
    for (int i = 0; i < 300; i++)
        x[i] = 1.0 / (me + 3) * (i % 2 ? 1 : -1);
    CHECK(RCCE_reduce((char *)x, (char *)out, 300, RCCE_DOUBLE, RCCE_SUM, n - 1, RCCE_COMM_WORLD) == RCCE_SUCCESS);
    for (int i = 0; i < 300 && me == n - 1; i++)
        CHECK(out[i] == (i % 2 ? want : -want));
    long v = me + 2, r[3];
    CHECK(!RCCE_allreduce((char *)&v, (char *)&r[0], 1, RCCE_LONG, RCCE_MIN, RCCE_COMM_WORLD) && r[0] == 2);
    CHECK(!RCCE_allreduce((char *)&v, (char *)&r[1], 1, RCCE_LONG, RCCE_MAX, RCCE_COMM_WORLD) && r[1] == n + 1);
    CHECK(!RCCE_allreduce((char *)&v, (char *)&v, 1, RCCE_LONG, RCCE_PROD, RCCE_COMM_WORLD) && v == 720); /* in place */
    float f = 0.5f, sum;
    CHECK(!RCCE_allreduce((char *)&f, (char *)&sum, 1, RCCE_FLOAT, RCCE_SUM, RCCE_COMM_WORLD) && sum == 2.5f);
}

static void collective_operations_give_everyone_the_result(void **state) { ues(5, collect); }

static void count_locked(void)
{
    volatile u32 *count = (volatile u32 *)RCCE_shmalloc(4);
    for (int i = 0; i < 2000; i++) {
        CHECK((i % 2 ? RCCE_acquire_lock(1) : RCCE_backoff_lock(1)) == RCCE_SUCCESS);
        u32 seen = *count;
        if (i % 64 == 0)
            sched_yield(); /* inside: else nobody meets */
        *count = seen + 1;
        CHECK(RCCE_release_lock(1) == RCCE_SUCCESS);
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
    CHECK(*count == 2000u * (u32)RCCE_num_ues());
    RCCE_barrier(&RCCE_COMM_WORLD);
    if (RCCE_ue() == 0) {
        *count = 0;
        CHECK(RCCE_try_lock(2) == RCCE_SUCCESS && RCCE_try_lock(2) == RCCE_PENDING && !RCCE_release_lock(2));
    }
}

static void a_lock_has_one_owner(void **state) { ues(3, count_locked); }

static void share(void)
{
    t_vcharp a = RCCE_shmalloc(100), b = RCCE_shmalloc(1000), c;
    CHECK(a && b == a + 128 && !RCCE_shmalloc(UES_SHARED) && !RCCE_shmalloc(0));
    RCCE_shfree(a);
    c = RCCE_shmalloc(200);
    CHECK(c == b + 1024 && RCCE_shmalloc(32) == a);
    memset((char *)b, 0x33, 1000);
    RCCE_barrier(&RCCE_COMM_WORLD);
    t_vcharp d = RCCE_shrealloc(b, 5000);
    CHECK(d && d != b && d[0] == 0x33 && d[999] == 0x33 && !RCCE_shrealloc(b, 10));
    RCCE_shflush();
}

static void shared_memory_has_the_same_addresses(void **state) { ues(2, share); }

/* Nobody else: what its buffer says is rubbish. */
static void rubbish_in_the_buffer_is_bounded(void **state)
{
    struct rcce_out out;
    int test;
    memset(ues_mpb, 0, UES_CORES * RCCE_BUFF_SIZE_MAX);
    for (int ue = 1; ue < 4; ue++)
        if (!fork())
            _exit(ues_init(4, ue, RCCE_init));
    assert_int_equal(ues_init(4, 0, RCCE_init), RCCE_SUCCESS);
    while (wait(NULL) > 0)
        ;
    srandom(1);
    for (unsigned round = 0; round < 20000; round++) {
        u32 rubbish = (u32)random() << (round % 3 ? 0 : 16);
        rcce.own->sent[0][1] = (u8)(rcce.got[0][1] + 2 + rubbish % 254);
        assert_int_equal(RCCE_recv_test(came, 64, 1, &test), RCCE_SUCCESS);
        assert_int_equal(test, 0);
        rcce.own->taken[0][2] = rcce.put[0][2];
        rcce_out_begin(&out, sent, 5 * HALF, 2);
        assert_false(rcce_out_step(&out));
        assert_int_equal(out.chunks, 2);
        rcce.own->taken[0][2] = (u8)(rcce.put[0][2] + 1 + rubbish % 254);
        assert_false(rcce_out_step(&out));
        assert_int_equal(out.chunks, 2); /* no half was written over */
    }
    rcce.n = 0;
    memset(ues_mpb, 0, UES_CORES * RCCE_BUFF_SIZE_MAX);
}

static void who_cannot_take_part_is_told(void **state)
{
    char *argv[] = { "p", "2", "1.0", "00", "02", NULL }, **at = argv;
    struct native_calls calls = ues_calls(4);
    int argc = 5;
    rcce.calls = &calls;
    assert_int_equal(RCCE_init(&argc, &at), RCCE_ERROR_CORE_NOT_IN_HOSTFILE);
    calls.core = 0;
    argv[4] = "00";
    assert_int_equal(RCCE_init(&argc, &at), RCCE_ERROR_ID);
    argv[4] = "48";
    assert_int_equal(RCCE_init(&argc, &at), RCCE_ERROR_ID);
    argv[1] = "0";
    assert_int_equal(RCCE_init(&argc, &at), RCCE_ERROR_NUM_UES);
    argv[1] = "49";
    assert_int_equal(RCCE_init(&argc, &at), RCCE_ERROR_NUM_UES);
    argv[1] = "3";
    assert_int_equal(RCCE_init(&argc, &at), RCCE_ERROR_NUM_UES);
    assert_int_equal(RCCE_finalize(), RCCE_ERROR_COMM_UNDEFINED);
    assert_int_equal(RCCE_ue(), -1);
}

static void disturb(int ue, int round)
{
    ues_init(4, ue, RCCE_init);
    for (unsigned i = 0;; i++) {
        RCCE_acquire_lock((int)i % 4);
        if ((i + (unsigned)round) % 3)
            RCCE_release_lock((int)i % 4);
        RCCE_barrier(&RCCE_COMM_WORLD);
        RCCE_tournament_barrier(&RCCE_COMM_WORLD);
    }
}

static void use_what_is_left(void)
{
    double mine[3] = { RCCE_ue(), 1, -RCCE_ue() }, sum[3];
    for (int i = 0; i < 20; i++) {
        CHECK(!RCCE_allreduce((char *)mine, (char *)sum, 3, RCCE_DOUBLE, RCCE_SUM, RCCE_COMM_WORLD));
        CHECK(sum[0] == 6 && sum[1] == 4 && sum[2] == -6);
        CHECK(!RCCE_tournament_barrier(&RCCE_COMM_WORLD));
        RCCE_acquire_lock(i % 4);
        RCCE_release_lock(i % 4);
    }
}

/* UEs are killed wherever they are, some begin again and are killed, too, and one's word is overwritten. */
static void a_run_begins_whatever_the_last_one_has_left(void **state)
{
    for (int round = 0; round < 40; round++) {
        pid_t pid[4];
        for (int ue = 0; ue < 4; ue++)
            if (!(pid[ue] = fork()))
                disturb(ue, round);
        for (int i = 0; i < 6; i++) {
            int ue = (round + i) % 4;
            usleep((useconds_t)(random() % 3000));
            kill(pid[ue], SIGKILL);
            waitpid(pid[ue], NULL, 0);
            if (!(pid[ue] = fork()))
                disturb(ue, round);
        }
        for (int ue = 0; ue < 4; ue++) {
            kill(pid[ue], SIGKILL);
            waitpid(pid[ue], NULL, 0);
        }
        if (round % 2)
            *(u32 *)(ues_mpb + 2 * RCCE_BUFF_SIZE_MAX + UES_KERNEL + offsetof(struct rcce_mpb, life)) = 0;
        ues(4, use_what_is_left);
    }
}

static void errors_have_texts_and_power_is_refused(void **state)
{
    char text[RCCE_MAX_ERROR_STRING + 1];
    int n, length;
    for (n = 1; n <= 28; n++) {
        assert_int_equal(RCCE_error_string(RCCE_ERROR_BASE + n, text, &length), RCCE_SUCCESS);
        assert_in_range(length, 5, RCCE_MAX_ERROR_STRING - 1);
    }
    assert_int_equal(RCCE_ERROR_NO_MULTICAST_SUPPORT, 1234321 + 28);
    assert_int_equal(RCCE_error_string(RCCE_SUCCESS, text, &length), RCCE_SUCCESS);
    assert_int_equal(RCCE_error_string(RCCE_ERROR_BASE, text, &length), RCCE_ERROR_INVALID_ERROR_CODE);
    assert_int_equal(RCCE_error_string(RCCE_ERROR_BASE + 29, text, &length), RCCE_ERROR_INVALID_ERROR_CODE);
    assert_int_equal(RCCE_debug_set(1), RCCE_ERROR_DEBUG_FLAG);
    assert_int_equal(RCCE_debug_set(RCCE_DEBUG_ALL), RCCE_SUCCESS);
    assert_int_equal(RCCE_debug_unset(RCCE_DEBUG_ALL), RCCE_SUCCESS);
    RCCE_REQUEST request;
    assert_int_equal(RCCE_iset_power(4, &request, &n, &length), RCCE_ERROR_RPC_NOT_ALLOCATED);
    assert_int_equal(RCCE_iset_power(1, &request, &n, &length), RCCE_ERROR_FDIVIDER);
    assert_int_equal(RCCE_wait_power(&request), RCCE_ERROR_NO_ACTIVE_RPC_REQUEST);
    assert_int_equal(RCCE_set_frequency_divider(17, &n), RCCE_ERROR_FDIVIDER);
    assert_int_equal(RCCE_set_frequency_divider(2, &n), RCCE_ERROR_RPC_NOT_ALLOCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(messages_of_all_sizes_arrive, ues_clear),
        cmocka_unit_test_setup(recv_test_takes_what_waits, ues_clear),
        cmocka_unit_test_setup(a_second_run_of_a_program_counts_anew, ues_clear),
        cmocka_unit_test_setup(wrong_arguments_are_refused, ues_clear),
        cmocka_unit_test_setup(put_and_get_reach_the_same_offset_and_check_all, ues_clear),
        cmocka_unit_test_setup(the_gory_interface_has_all_memory, ues_clear),
        cmocka_unit_test_setup(flags_are_written_there_and_read_here, ues_clear),
        cmocka_unit_test_setup(the_gory_interface_sends_by_the_applications_flags, ues_clear),
        cmocka_unit_test_setup(nobody_leaves_a_barrier_before_all_came, ues_clear),
        cmocka_unit_test_setup(groups_have_barriers_of_their_own, ues_clear),
        cmocka_unit_test_setup(a_group_counts_its_barriers_from_its_split_on, ues_clear),
        cmocka_unit_test_setup(all_of_a_group_are_told_that_one_has_no_memory_for_it, ues_clear),
        cmocka_unit_test_setup(a_group_waits_in_its_first_barrier_of_another_kind_at_any_number, ues_clear),
        cmocka_unit_test_setup(collective_operations_give_everyone_the_result, ues_clear),
        cmocka_unit_test_setup(a_lock_has_one_owner, ues_clear),
        cmocka_unit_test_setup(shared_memory_has_the_same_addresses, ues_clear),
        cmocka_unit_test_setup(rubbish_in_the_buffer_is_bounded, ues_clear),
        cmocka_unit_test_setup(who_cannot_take_part_is_told, ues_clear),
        cmocka_unit_test_setup(a_run_begins_whatever_the_last_one_has_left, ues_clear),
        cmocka_unit_test_setup(errors_have_texts_and_power_is_refused, ues_clear),
    };
    return cmocka_run_group_tests(tests, ues_setup, NULL);
}
