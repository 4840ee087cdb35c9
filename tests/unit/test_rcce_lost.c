/* SPDX-License-Identifier: MIT */
/* Every call of RCCE and iRCCE that waits, and every one that programs poll with, ends the program on UE 0 when the
 * kernel of a peer has died: a wait at once, polls within 100,000. UE 1 comes to nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <RCCE_lib.h>
#include <signal.h>

#include "ues.h"

/* RCCE's own, not iRCCE's by its names. */
#undef RCCE_isend_test
#undef RCCE_isend_wait
#undef RCCE_irecv_test
#undef RCCE_irecv_wait

#define TIMES    100000
#define LOST     125 /* the program's exit status */
#define ANSWERED 3   /* a poll was answered */

static char data[64];
static int test, value, rank;
static RCCE_FLAG flag;
static RCCE_FLAG_STATUS status;
static RCCE_COMM group;
static tree_t tree;
static t_vcharp line;
static iRCCE_AIR *air;
static iRCCE_SEND_REQUEST out, *found_out;
static iRCCE_RECV_REQUEST in, *found_in;
static iRCCE_WAIT_LIST list;

static uint32_t dead(void) { return 2 + 1; }

static int all(int ue, void *aux) { return 0; }

static void posted(void)
{
    iRCCE_isend(data, sizeof(data), 1, &out);
    iRCCE_irecv(data, sizeof(data), 1, &in);
    iRCCE_add_to_wait_list(&list, &out, &in);
}

/* Each returns whether there was nothing yet; a wait does not return. */
#define CALL(name, ...)                                                                                                \
    static bool call_##name(void) { return (__VA_ARGS__); }
CALL(barrier, RCCE_barrier(&group))
CALL(tree_barrier, RCCE_tree_barrier(&group, &tree))
CALL(tournament, RCCE_tournament_barrier(&group))
CALL(tournament_fixed, RCCE_tournament_fixed_barrier(&group))
CALL(dissemination, RCCE_dissemination_barrier(&RCCE_COMM_WORLD))
CALL(TNS_barrier, RCCE_TNS_barrier(&group))
CALL(AIR_barrier, RCCE_AIR_barrier(&RCCE_COMM_WORLD))
CALL(AIR_barrier2, RCCE_AIR_barrier2(&RCCE_COMM_WORLD))
CALL(split, RCCE_comm_split(all, NULL, &group))
CALL(finalize, RCCE_finalize())
CALL(send, RCCE_send(data, 8, 1))
CALL(recv, RCCE_recv(data, 8, 1))
CALL(send_pipe, RCCE_send_pipe(data, 8, 1))
CALL(recv_pipe, RCCE_recv_pipe(data, 8, 1))
CALL(send_mcast, RCCE_send_mcast(data, 8))
CALL(recv_mcast, RCCE_recv_mcast(data, 8, 1))
CALL(send_tagged, RCCE_send_tagged(data, 8, 1, data, 8))
CALL(recv_tagged, RCCE_recv_tagged(data, 8, 1, data, 8))
CALL(recv_cancel, RCCE_recv_cancel(8, 1))
CALL(wait_probe, RCCE_recv_probe(1, NULL, NULL))
CALL(wait_until, RCCE_wait_until(flag, RCCE_FLAG_SET))
CALL(wait_tagged, RCCE_wait_tagged(flag, RCCE_FLAG_SET, data, 8))
CALL(acquire_lock, RCCE_acquire_lock(1))
CALL(backoff_lock, RCCE_backoff_lock(1))
CALL(treelock, RCCE_acquire_treelock(&group))
CALL(queuelock, RCCE_acquire_queuelock(1))
CALL(bcast, RCCE_bcast(data, 8, 1, group))
CALL(reduce, RCCE_reduce(data, data + 32, 1, RCCE_INT, RCCE_SUM, 0, group))
CALL(allreduce, RCCE_allreduce(data, data + 32, 1, RCCE_INT, RCCE_SUM, group))
CALL(irecv_wait, (posted(), iRCCE_irecv_wait(&in)))
CALL(isend_wait, (posted(), iRCCE_isend_wait(&out)))
CALL(rcce_irecv_wait, (posted(), RCCE_irecv_wait(&in)))
CALL(rcce_isend_wait, (posted(), RCCE_isend_wait(&out)))
CALL(wait_all, (posted(), iRCCE_wait_all(&list)))
CALL(wait_any, (posted(), iRCCE_wait_any(&list, &found_out, &found_in)))
CALL(behind_requests, (posted(), RCCE_send(data, 8, 1)))
CALL(ssend, iRCCE_ssend(data, 0, 1))
CALL(srecv, iRCCE_srecv(data, 0, 1))
CALL(probe, iRCCE_probe(1, &rank))
CALL(init, iRCCE_init())

CALL(recv_test, (RCCE_recv_test(data, 8, 1, &test), !test))
CALL(recv_probe, (RCCE_recv_probe(1, &test, NULL), !test))
CALL(recv_probe_tagged, (RCCE_recv_probe_tagged(1, &test, NULL, data, 8), !test))
CALL(flag_read, (RCCE_flag_read(flag, &status, 0), !status))
CALL(flag_read_tagged, (RCCE_flag_read_tagged(flag, &status, 0, data, 8), !status))
CALL(test_flag, (RCCE_test_flag(flag, RCCE_FLAG_SET, &test), !test))
CALL(test_tagged, (RCCE_test_tagged(flag, RCCE_FLAG_SET, &test, data, 8), !test))
CALL(RCCE_probe, !RCCE_probe(flag))
CALL(try_lock, RCCE_try_lock(1) == RCCE_PENDING)
CALL(nb_barrier, RCCE_nb_barrier(&group) == RCCE_PENDING)
CALL(nb_TNS_barrier, (group.label ? (void)0 : rcce_give(0), RCCE_nb_TNS_barrier(&group) == RCCE_PENDING))
CALL(nb_AIR_barrier, RCCE_nb_AIR_barrier(&RCCE_COMM_WORLD) == RCCE_PENDING)
CALL(isend_test, iRCCE_isend_test(&out, &test) == iRCCE_PENDING)
CALL(irecv_test, iRCCE_irecv_test(&in, &test) == iRCCE_PENDING)
CALL(isend_push, iRCCE_isend_push() == iRCCE_PENDING)
CALL(irecv_push, iRCCE_irecv_push() == iRCCE_PENDING)
CALL(rcce_isend_test, RCCE_isend_test(&out, &test) == RCCE_PENDING)
CALL(rcce_irecv_test, RCCE_irecv_test(&in, &test) == RCCE_PENDING)
CALL(test_all, iRCCE_test_all(&list, &test) == iRCCE_PENDING)
CALL(test_any, iRCCE_test_any(&list, &found_out, &found_in) == iRCCE_PENDING)
CALL(iprobe, (iRCCE_iprobe(1, &rank, &test), !test))
CALL(srecv_test, (iRCCE_srecv_test(data, 8, 1, &test), !test))
CALL(iRCCE_test_flag, (iRCCE_test_flag(flag, 1, &test), !test))
CALL(atomic_read, (iRCCE_atomic_read(air, &value), !value))

struct call {
    const char *name;
    bool (*fn)(void);
    bool posted; /* two requests are open */
};

static const struct call waits[] = {
    { "RCCE_barrier", call_barrier, false },
    { "RCCE_tree_barrier", call_tree_barrier, false },
    { "RCCE_tournament_barrier", call_tournament, false },
    { "RCCE_tournament_fixed_barrier", call_tournament_fixed, false },
    { "RCCE_dissemination_barrier", call_dissemination, false },
    { "RCCE_TNS_barrier", call_TNS_barrier, false },
    { "RCCE_AIR_barrier", call_AIR_barrier, false },
    { "RCCE_AIR_barrier2", call_AIR_barrier2, false },
    { "RCCE_comm_split", call_split, false },
    { "RCCE_finalize", call_finalize, false },
    { "RCCE_send", call_send, false },
    { "RCCE_recv", call_recv, false },
    { "RCCE_send_pipe", call_send_pipe, false },
    { "RCCE_recv_pipe", call_recv_pipe, false },
    { "RCCE_send_mcast", call_send_mcast, false },
    { "RCCE_recv_mcast", call_recv_mcast, false },
    { "RCCE_send_tagged", call_send_tagged, false },
    { "RCCE_recv_tagged", call_recv_tagged, false },
    { "RCCE_recv_cancel", call_recv_cancel, false },
    { "RCCE_recv_probe", call_wait_probe, false },
    { "RCCE_wait_until", call_wait_until, false },
    { "RCCE_wait_tagged", call_wait_tagged, false },
    { "RCCE_acquire_lock", call_acquire_lock, false },
    { "RCCE_backoff_lock", call_backoff_lock, false },
    { "RCCE_acquire_treelock", call_treelock, false },
    { "RCCE_acquire_queuelock", call_queuelock, false },
    { "RCCE_bcast", call_bcast, false },
    { "RCCE_reduce", call_reduce, false },
    { "RCCE_allreduce", call_allreduce, false },
    { "iRCCE_irecv_wait", call_irecv_wait, false },
    { "iRCCE_isend_wait", call_isend_wait, false },
    { "RCCE_irecv_wait", call_rcce_irecv_wait, false },
    { "RCCE_isend_wait", call_rcce_isend_wait, false },
    { "iRCCE_wait_all", call_wait_all, false },
    { "iRCCE_wait_any", call_wait_any, false },
    { "RCCE_send behind requests", call_behind_requests, false },
    { "iRCCE_ssend", call_ssend, false },
    { "iRCCE_srecv", call_srecv, false },
    { "iRCCE_probe", call_probe, false },
    { "iRCCE_init", call_init, false },
};

static const struct call polls[] = {
    { "RCCE_recv_test", call_recv_test, false },
    { "RCCE_recv_probe with a result", call_recv_probe, false },
    { "RCCE_recv_probe_tagged", call_recv_probe_tagged, false },
    { "RCCE_flag_read", call_flag_read, false },
    { "RCCE_flag_read_tagged", call_flag_read_tagged, false },
    { "RCCE_test_flag", call_test_flag, false },
    { "RCCE_test_tagged", call_test_tagged, false },
    { "RCCE_probe", call_RCCE_probe, false },
    { "RCCE_try_lock", call_try_lock, false },
    { "RCCE_nb_barrier", call_nb_barrier, false },
    { "RCCE_nb_TNS_barrier", call_nb_TNS_barrier, false },
    { "RCCE_nb_AIR_barrier", call_nb_AIR_barrier, false },
    { "iRCCE_isend_test", call_isend_test, true },
    { "iRCCE_irecv_test", call_irecv_test, true },
    { "iRCCE_isend_push", call_isend_push, true },
    { "iRCCE_irecv_push", call_irecv_push, true },
    { "RCCE_isend_test", call_rcce_isend_test, true },
    { "RCCE_irecv_test", call_rcce_irecv_test, true },
    { "iRCCE_test_all", call_test_all, true },
    { "iRCCE_test_any", call_test_any, true },
    { "iRCCE_iprobe", call_iprobe, false },
    { "iRCCE_srecv_test", call_srecv_test, false },
    { "iRCCE_test_flag", call_iRCCE_test_flag, false },
    { "iRCCE_atomic_read", call_atomic_read, false },
};

/* Call it in a process of its own, in which a peer's kernel has died, with all that UE 0 has allocated. Returns the
 * process' exit status, or the signal that ended it. */
static int end_of(const struct call *c, unsigned times)
{
    int how;
    fflush(stderr);
    pid_t pid = fork();
    if (!pid) {
        ((struct native_calls *)rcce.calls)->lost = dead;
        fclose(stdout);
        alarm(10);
        if (c->posted)
            posted();
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
    iRCCE_init_wait_list(&list);
    RCCE_barrier(&RCCE_COMM_WORLD);
    if (RCCE_ue() == 1)
        _exit(0);
    CHECK(rcce_take(0) && rcce_take(1));       /* nobody gives them back */
    rcce.registers->tail[rcce.core[1]][0] = 2; /* UE 1 is in the row */
    memcpy(before, ues_mpb, mpb);
    for (size_t i = 0; i < n; i++) {
        int how = end_of(&calls[i], times);
        if (how != LOST)
            fprintf(stderr, "%s: %s\n", calls[i].name,
                    how == SIGALRM    ? "waits for ever"
                    : how == ANSWERED ? "returns"
                                      : "?");
        ues_failed |= how != LOST;
        memcpy(ues_mpb, before, mpb);
    }
    free(before);
    _exit(ues_failed);
}

static void wait_with_each(void) { call_each(waits, sizeof(waits) / sizeof(waits[0]), 1); }
static void poll_with_each(void) { call_each(polls, sizeof(polls) / sizeof(polls[0]), TIMES); }

static void each_wait_ends_when_a_peer_is_dead(void **state) { ues(2, wait_with_each); }
static void each_poll_ends_when_a_peer_is_dead(void **state) { ues(2, poll_with_each); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_wait_ends_when_a_peer_is_dead, ues_clear),
        cmocka_unit_test_setup(each_poll_ends_when_a_peer_is_dead, ues_clear),
    };
    return cmocka_run_group_tests(tests, ues_setup, NULL);
}
