/* SPDX-License-Identifier: MIT */
/*
 * Every function that RCCE and iRCCE have for programs is in one of three tables, by what it does when UE 1 comes to
 * nothing: it waits; programs poll with it; neither. A function that is in none fails the test. Waits and polls end the
 * program on UE 0 when the kernel of a peer dies after their first look, and when the program is stopped after it: a
 * wait within a second of the processor, polls within 100,000.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define DEAD 2
#include <RCCE_lib.h>
#include <exported.h>
#include <lost.h>
#include <signal.h>
#include <sys/time.h>

#include "ues.h"

/* RCCE's own, not iRCCE's by its names. */
#undef RCCE_isend
#undef RCCE_isend_test
#undef RCCE_isend_wait
#undef RCCE_isend_push
#undef RCCE_irecv
#undef RCCE_irecv_test
#undef RCCE_irecv_wait
#undef RCCE_irecv_push
#undef RCCE_flag_write_tagged
#undef RCCE_flag_read_tagged
#undef RCCE_wait_tagged
#undef RCCE_test_tagged

static char data[64];
static int test, value, rank;
static RCCE_FLAG flag, ready;
static RCCE_FLAG_STATUS status;
static RCCE_COMM group;
static tree_t tree;
static t_vcharp line;
static iRCCE_AIR *air;
static iRCCE_SEND_REQUEST out, *found_out;
static iRCCE_RECV_REQUEST in, *found_in;
static iRCCE_WAIT_LIST list;

static int all(int ue, void *aux) { return 0; }

static void posted(void)
{
    iRCCE_isend(data, sizeof(data), 1, &out);
    iRCCE_irecv(data, sizeof(data), 1, &in);
    iRCCE_add_to_wait_list(&list, &out, &in);
}

/* The whole program begins anew, and the other UE does not. */
static bool begin(int (*init)(int *, char ***))
{
    rcce.n = 0;
    ues_asks = look;
    ues_rests = look_and_rest;
    ues_init(2, 0, init);
    return true;
}

/* The other UE has taken the lock's row, and has not yet said who it is. */
static bool release_with_one_behind(void)
{
    rcce.registers->tail[rcce.core[0]][0] = 0;
    RCCE_acquire_queuelock(0);
    rcce.registers->tail[rcce.core[0]][0] = 2;
    return RCCE_release_queuelock(0);
}

static bool message_waits(void)
{
    *(volatile u32 *)ready = RCCE_FLAG_SET;
    return RCCE_recv_test_gory(data, line, 32, &flag, &flag, 8, 1, &test, &ready);
}

static void posted_once(void)
{
    if (!list.first)
        posted();
}

/* The first chunk of a message of three has come. */
static void received_in_part(void)
{
    static char large[3 * HALF];
    if (list.first)
        return;
    rcce.own->sent[0][1]++;
    iRCCE_irecv(large, sizeof(large), 1, &in);
    iRCCE_add_to_wait_list(&list, NULL, &in);
}

/* Each with an expression that is true while there is nothing. A wait does not return. */
#define WAITS(X)                                                                                                       \
    X(RCCE_init, begin(RCCE_init))                                                                                     \
    X(RCCE_init_gory, begin(RCCE_init_gory))                                                                           \
    X(RCCE_finalize, RCCE_finalize())                                                                                  \
    X(RCCE_barrier, RCCE_barrier(&group))                                                                              \
    X(RCCE_dissemination_barrier, RCCE_dissemination_barrier(&RCCE_COMM_WORLD))                                        \
    X(RCCE_tree_barrier, RCCE_tree_barrier(&group, &tree))                                                             \
    X(RCCE_tournament_barrier, RCCE_tournament_barrier(&group))                                                        \
    X(RCCE_tournament_fixed_barrier, RCCE_tournament_fixed_barrier(&group))                                            \
    X(RCCE_TNS_barrier, RCCE_TNS_barrier(&group))                                                                      \
    X(RCCE_AIR_barrier, RCCE_AIR_barrier(&RCCE_COMM_WORLD))                                                            \
    X(RCCE_AIR_barrier2, RCCE_AIR_barrier2(&RCCE_COMM_WORLD))                                                          \
    X(RCCE_comm_split, RCCE_comm_split(all, NULL, &group))                                                             \
    X(RCCE_send, RCCE_send(data, 8, 1))                                                                                \
    X(RCCE_recv, RCCE_recv(data, 8, 1))                                                                                \
    X(RCCE_send_pipe, RCCE_send_pipe(data, 8, 1))                                                                      \
    X(RCCE_recv_pipe, RCCE_recv_pipe(data, 8, 1))                                                                      \
    X(RCCE_send_mcast, RCCE_send_mcast(data, 8))                                                                       \
    X(RCCE_recv_mcast, RCCE_recv_mcast(data, 8, 1))                                                                    \
    X(RCCE_send_tagged, RCCE_send_tagged(data, 8, 1, data, 8))                                                         \
    X(RCCE_recv_tagged, RCCE_recv_tagged(data, 8, 1, data, 8))                                                         \
    X(RCCE_recv_cancel, RCCE_recv_cancel(8, 1))                                                                        \
    X(RCCE_recv_probe, RCCE_recv_probe(1, NULL, NULL))                                                                 \
    X(RCCE_recv_probe_tagged, RCCE_recv_probe_tagged(1, NULL, NULL, data, 8))                                          \
    X(RCCE_send_gory, RCCE_send_gory(data, line, 32, &ready, &flag, 8, 1))                                             \
    X(RCCE_recv_gory, RCCE_recv_gory(data, line, 32, &ready, &flag, 8, 1, NULL))                                       \
    X(RCCE_recv_test_gory, message_waits())                                                                            \
    X(RCCE_wait_until, RCCE_wait_until(flag, RCCE_FLAG_SET))                                                           \
    X(RCCE_wait_tagged, RCCE_wait_tagged(flag, RCCE_FLAG_SET, data, 8))                                                \
    X(RCCE_acquire_lock, RCCE_acquire_lock(1))                                                                         \
    X(RCCE_backoff_lock, RCCE_backoff_lock(1))                                                                         \
    X(RCCE_acquire_treelock, RCCE_acquire_treelock(&group))                                                            \
    X(RCCE_acquire_queuelock, RCCE_acquire_queuelock(1))                                                               \
    X(RCCE_release_queuelock, release_with_one_behind())                                                               \
    X(RCCE_nb_TNS_barrier, RCCE_nb_TNS_barrier(&group))                                                                \
    X(RCCE_bcast, RCCE_bcast(data, 8, 1, group))                                                                       \
    X(RCCE_reduce, RCCE_reduce(data, data + 32, 1, RCCE_INT, RCCE_SUM, 0, group))                                      \
    X(RCCE_allreduce, RCCE_allreduce(data, data + 32, 1, RCCE_INT, RCCE_SUM, group))                                   \
    X(RCCE_irecv, RCCE_irecv(data, 8, 1, NULL))                                                                        \
    X(RCCE_isend, RCCE_isend(data, 8, 1, NULL))                                                                        \
    X(RCCE_irecv_wait, (posted(), RCCE_irecv_wait(&in)))                                                               \
    X(RCCE_isend_wait, (posted(), RCCE_isend_wait(&out)))                                                              \
    X(iRCCE_init, iRCCE_init())                                                                                        \
    X(iRCCE_irecv, iRCCE_irecv(data, 8, 1, NULL))                                                                      \
    X(iRCCE_isend, (posted(), iRCCE_isend(data, 8, 1, NULL)))                                                          \
    X(iRCCE_isrecv, iRCCE_isrecv(data, 8, 1, NULL))                                                                    \
    X(iRCCE_issend, iRCCE_issend(data, 8, 1, NULL))                                                                    \
    X(iRCCE_irecv_wait, (posted(), iRCCE_irecv_wait(&in)))                                                             \
    X(iRCCE_isend_wait, (posted(), iRCCE_isend_wait(&out)))                                                            \
    X(iRCCE_wait_all, (posted(), iRCCE_wait_all(&list)))                                                               \
    X(iRCCE_wait_any, (posted(), iRCCE_wait_any(&list, &found_out, &found_in)))                                        \
    X(iRCCE_ssend, iRCCE_ssend(data, 0, 1))                                                                            \
    X(iRCCE_srecv, iRCCE_srecv(data, 0, 1))                                                                            \
    X(iRCCE_srecv_test, iRCCE_srecv_test(data, 8, 1, NULL))                                                            \
    X(iRCCE_probe, iRCCE_probe(1, &rank))                                                                              \
    X(iRCCE_wait_until, iRCCE_wait_until(flag, 1))                                                                     \
    X(iRCCE_wait_tagged, iRCCE_wait_tagged(flag, 1, data, 8))                                                          \
    X(iRCCE_barrier, iRCCE_barrier(NULL))                                                                              \
    X(iRCCE_bcast, iRCCE_bcast(data, 8, 1, RCCE_COMM_WORLD))                                                           \
    X(iRCCE_mcast, iRCCE_mcast(data, 8, 1))                                                                            \
    X(iRCCE_msend, iRCCE_msend(data, 8))                                                                               \
    X(iRCCE_mrecv, iRCCE_mrecv(data, 8, 1))

#define POLLS_OF(X)                                                                                                    \
    X(RCCE_recv_test, (RCCE_recv_test(data, 8, 1, &test), !test))                                                      \
    X(RCCE_recv_probe, (RCCE_recv_probe(1, &test, NULL), !test))                                                       \
    X(RCCE_recv_probe_tagged, (RCCE_recv_probe_tagged(1, &test, NULL, data, 8), !test))                                \
    X(RCCE_recv_test_gory, (RCCE_recv_test_gory(data, line, 32, &ready, &flag, 8, 1, &test, NULL), !test))             \
    X(RCCE_flag_read, (RCCE_flag_read(flag, &status, 0), !status))                                                     \
    X(RCCE_flag_read_tagged, (RCCE_flag_read_tagged(flag, &status, 0, data, 8), !status))                              \
    X(RCCE_test_flag, (RCCE_test_flag(flag, RCCE_FLAG_SET, &test), !test))                                             \
    X(RCCE_test_tagged, (RCCE_test_tagged(flag, RCCE_FLAG_SET, &test, data, 8), !test))                                \
    X(RCCE_probe, !RCCE_probe(flag))                                                                                   \
    X(RCCE_try_lock, RCCE_try_lock(1) == RCCE_PENDING)                                                                 \
    X(RCCE_nb_barrier, RCCE_nb_barrier(&group) == RCCE_PENDING)                                                        \
    X(RCCE_nb_TNS_barrier, (group.label ? (void)0 : rcce_give(0), RCCE_nb_TNS_barrier(&group) == RCCE_PENDING))        \
    X(RCCE_nb_AIR_barrier, RCCE_nb_AIR_barrier(&RCCE_COMM_WORLD) == RCCE_PENDING)                                      \
    X(RCCE_isend_test, (posted_once(), RCCE_isend_test(&out, &test) == RCCE_PENDING))                                  \
    X(RCCE_irecv_test, (posted_once(), RCCE_irecv_test(&in, &test) == RCCE_PENDING))                                   \
    X(RCCE_isend_push, (posted_once(), RCCE_isend_push(1) == RCCE_PENDING))                                            \
    X(RCCE_irecv_push, (posted_once(), RCCE_irecv_push(1) == RCCE_PENDING))                                            \
    X(RCCE_get, (RCCE_get((t_vcharp)data, line, 32, 1), !data[0]))                                                     \
    X(RCCE_get_flag, (RCCE_get_flag((t_vcharp)data, line, 32, 1), !data[0]))                                           \
    X(RCCE_memcpy_get, (RCCE_memcpy_get(data, (void *)line, 4), !data[0]))                                             \
    X(RC_cache_invalidate, (RC_cache_invalidate(), !*line))                                                            \
    X(RCCE_fence, (RCCE_fence(), !*line))                                                                              \
    X(RCCE_shflush, (RCCE_shflush(), !*line))                                                                          \
    X(iRCCE_isend_test, (posted_once(), iRCCE_isend_test(&out, &test) == iRCCE_PENDING))                               \
    X(iRCCE_irecv_test, (posted_once(), iRCCE_irecv_test(&in, &test) == iRCCE_PENDING))                                \
    X(iRCCE_isend_push, (posted_once(), iRCCE_isend_push() == iRCCE_PENDING))                                          \
    X(iRCCE_irecv_push, (posted_once(), iRCCE_irecv_push() == iRCCE_PENDING))                                          \
    X(iRCCE_isend_cancel, (posted_once(), iRCCE_isend_cancel(&out, &test) == iRCCE_PENDING))                           \
    X(iRCCE_irecv_cancel, (received_in_part(), iRCCE_irecv_cancel(&in, &test) == iRCCE_PENDING))                       \
    X(iRCCE_test_all, (posted_once(), iRCCE_test_all(&list, &test) == iRCCE_PENDING))                                  \
    X(iRCCE_test_any, (posted_once(), iRCCE_test_any(&list, &found_out, &found_in) == iRCCE_PENDING))                  \
    X(iRCCE_iprobe, (iRCCE_iprobe(1, &rank, &test), !test))                                                            \
    X(iRCCE_srecv_test, (iRCCE_srecv_test(data, 8, 1, &test), !test))                                                  \
    X(iRCCE_flag_read, (iRCCE_flag_read(flag, &status, 0), !status))                                                   \
    X(iRCCE_flag_read_tagged, (iRCCE_flag_read_tagged(flag, &status, 0, data, 8), !status))                            \
    X(iRCCE_test_flag, (iRCCE_test_flag(flag, 1, &test), !test))                                                       \
    X(iRCCE_test_tagged, (iRCCE_test_tagged(flag, 1, &test, data, 8), !test))                                          \
    X(iRCCE_get, (iRCCE_get((t_vcharp)data, line, 32, 1), !data[0]))                                                   \
    X(iRCCE_memcpy_get, (iRCCE_memcpy_get(data, (void *)line, 4), !data[0]))                                           \
    X(iRCCE_atomic_read, (iRCCE_atomic_read(air, &value), !value))                                                     \
    X(iRCCE_atomic_inc, !iRCCE_atomic_inc(air, &value))

static const char *const neither[] = {
    "RCCE_comm_free",
    "RCCE_comm_rank",
    "RCCE_comm_size",
    "RCCE_debug_set",
    "RCCE_debug_unset",
    "RCCE_dev",
    "RCCE_dev_ue",
    "RCCE_error_return",
    "RCCE_error_string",
    "RCCE_flag_alloc",
    "RCCE_flag_free",
    "RCCE_flag_write",
    "RCCE_flag_write_tagged",
    "RCCE_free",
    "RCCE_global_color",
    "RCCE_iset_power",
    "RCCE_malloc",
    "RCCE_malloc_request",
    "RCCE_memcpy_put",
    "RCCE_num_dev",
    "RCCE_num_ues",
    "RCCE_num_ues_dev",
    "RCCE_palloc",
    "RCCE_power_domain",
    "RCCE_power_domain_master",
    "RCCE_power_domain_size",
    "RCCE_put",
    "RCCE_put_flag",
    "RCCE_qsort",
    "RCCE_release_lock",
    "RCCE_release_treelock",
    "RCCE_set_frequency_divider",
    "RCCE_shfree",
    "RCCE_shmalloc",
    "RCCE_shrealloc",
    "RCCE_tree_init",
    "RCCE_ue",
    "RCCE_ue_to_dev",
    "RCCE_wait_power", /* there is no request that it could wait for */
    "RCCE_wtime",
    "RC_COMM_BUFFER_START",
    "iRCCE_add_to_wait_list",
    "iRCCE_atomic_alloc",
    "iRCCE_atomic_write",
    "iRCCE_flag_alloc",
    "iRCCE_flag_alloc_tagged",
    "iRCCE_flag_free_tagged",
    "iRCCE_flag_write",
    "iRCCE_flag_write_tagged",
    "iRCCE_get_dest",
    "iRCCE_get_length",
    "iRCCE_get_max_tagged_len",
    "iRCCE_get_size",
    "iRCCE_get_source",
    "iRCCE_init_wait_list",
    "iRCCE_malloc",
    "iRCCE_memcpy_put",
    "iRCCE_put",
    "id_compare",
};

struct call {
    const char *name;
    bool (*fn)(void);
};

#define CALL(name, ...)                                                                                                \
    static bool wait_##name(void) { return (__VA_ARGS__); }
WAITS(CALL)
#undef CALL
#define CALL(name, ...)                                                                                                \
    static bool poll_##name(void) { return (__VA_ARGS__); }
POLLS_OF(CALL)
#define WAIT(name, ...) { #name, wait_##name },
#define POLL(name, ...) { #name, poll_##name },
static const struct call waits[] = { WAITS(WAIT) }, polls[] = { POLLS_OF(POLL) };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Names that begin with rcce_ are between files of the library. */
static bool is_named(const char *name)
{
    bool found = !strncmp(name, "rcce_", 5);
    for (size_t i = 0; i < COUNT(waits); i++)
        found |= !strcmp(waits[i].name, name);
    for (size_t i = 0; i < COUNT(polls); i++)
        found |= !strcmp(polls[i].name, name);
    for (size_t i = 0; i < COUNT(neither); i++)
        found |= !strcmp(neither[i], name);
    return found;
}

/* Call it in a process of its own with all that UE 0 has allocated. Returns the process' exit status, or the signal
 * that ended it. */
static int end_of(const struct call *c, unsigned times)
{
    int how;
    fflush(stderr);
    pid_t pid = fork();
    if (!pid) {
        ((struct native_calls *)rcce.calls)->lost = look;
        ((struct native_calls *)rcce.calls)->rest = look_and_rest;
        looks = 0;
        fclose(stdout);
        setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = 1 + (times > 1) }, NULL);
        alarm(UES_TIME);
        while (times-- && c->fn())
            ;
        _exit(ANSWERED);
    }
    CHECK(waitpid(pid, &how, 0) == pid);
    return WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how);
}

static void call_each(const struct call *calls, size_t n, unsigned times)
{
    size_t mpb = UES_CORES * RCCE_BUFF_SIZE_MAX + UES_SHARED;
    char *before = malloc(mpb);
    CHECK(RCCE_comm_split(all, NULL, &group) == RCCE_SUCCESS);
    CHECK(RCCE_flag_alloc(&flag) == RCCE_SUCCESS && RCCE_tree_init(&group, &tree, 2) == RCCE_SUCCESS);
    CHECK(iRCCE_atomic_alloc(&air) == iRCCE_SUCCESS && (line = RCCE_malloc(RCCE_LINE_SIZE)));
    CHECK(RCCE_flag_alloc(&ready) == RCCE_SUCCESS);
    iRCCE_init_wait_list(&list);
    RCCE_barrier(&RCCE_COMM_WORLD);
    if (RCCE_ue() == 1)
        _exit(0);
    CHECK(rcce_take(0) && rcce_take(1));       /* nobody gives them back */
    rcce.registers->tail[rcce.core[1]][0] = 2; /* UE 1 is in the row */
    memcpy(before, ues_mpb, mpb);
    for (size_t i = 0; i < 2 * n; i++) {
        const struct call *c = &calls[i / 2];
        stops = i % 2;
        if (!ended(c->name, end_of(c, times)))
            ues_failed = 1;
        memcpy(ues_mpb, before, mpb);
    }
    free(before);
    _exit(ues_failed);
}

static void wait_with_each(void) { call_each(waits, COUNT(waits), 1); }
static void poll_with_each(void) { call_each(polls, COUNT(polls), TIMES); }

static void each_wait_ends_when_a_peer_dies_or_the_program_is_stopped(void **state) { ues(2, wait_with_each); }
static void each_poll_ends_when_a_peer_dies_or_the_program_is_stopped(void **state) { ues(2, poll_with_each); }

static void each_function_is_a_wait_a_poll_or_neither(void **state)
{
    unsigned known;
    assert_int_equal(exported_unknown("/user/rcce/", is_named, &known), 0);
    assert_true(known >= COUNT(waits) + COUNT(neither));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_function_is_a_wait_a_poll_or_neither),
        cmocka_unit_test_setup(each_wait_ends_when_a_peer_dies_or_the_program_is_stopped, ues_clear),
        cmocka_unit_test_setup(each_poll_ends_when_a_peer_dies_or_the_program_is_stopped, ues_clear),
    };
    return cmocka_run_group_tests(tests, ues_setup, NULL);
}
