/* SPDX-License-Identifier: MIT */
/* How the UEs of RCCE begin together: who is waited for, who ends the program, and whose end is a loss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>

#include "ues.h"
#include <process/left.h>

_Static_assert(offsetof(struct rcce_mpb, life) == 4 * 185, "as tests/system/rcce/rubbish.c has it");

/* Until UEs have come here `n` times in all. */
static void come(u32 n)
{
    u32 *step = &ues_kernels[47];
    for (__atomic_fetch_add(step, 1, __ATOMIC_SEQ_CST); __atomic_load_n(step, __ATOMIC_SEQ_CST) < n;)
        sched_yield();
}

static void until(const u32 *word, u32 says)
{
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) != says)
        sched_yield();
}

/* Core 2 was reset before they met; core 4 is, when all have. Each UE looks by itself, whenever it does. */
static void look_for_losses(void)
{
    CHECK(rcce.calls->met[2] == 7);
    CHECK(rcce.calls->lost() == 0);
    come(1 + 3); /* nobody waits in the library any more */
    if (RCCE_ue() == 0)
        ues_kernels[4]++;
    while (rcce.calls->kernels[4] == 1)
        sched_yield();
    CHECK(rcce.calls->lost() == 4 + 1);
    memset(rcce.calls->met, 0, sizeof(ues_met)); /* they end together */
}

static void who_ends_after_they_have_met_is_lost_and_nobody_before(void **state)
{
    /* Of a run that has ended: it said that it was in its meeting, on the kernel before. */
    struct rcce_mpb *of_2 = (struct rcce_mpb *)(ues_mpb + 2 * RCCE_BUFF_SIZE_MAX + UES_KERNEL);
    of_2->life = 4;
    of_2->kernel = 6;
    ues_kernels[2] = 7;
    ues(3, look_for_losses);
}

/* Core 2's UE has left, by what its word says: it was cleared, or its program was killed and begins anew. */
static void look_for_who_has_left(void)
{
    u32 *word = (u32 *)&rcce.mpb[1]->life, said = rcce.own->life;
    CHECK(rcce_left() == 0);
    for (u32 says[] = { 0, said + 1, said - 2, said }, i = 0; i < 4; i++) {
        come(3 * (2 * i + 1));
        if (RCCE_ue() == 0)
            *word = says[i];
        until(word, says[i]);
        CHECK(RCCE_ue() == 1 || rcce_left() == (i < 3 ? 2 + 1 : 0));
        come(3 * (2 * i + 2));
    }
    if (RCCE_ue() == 1) { /* as who has come through the last barrier, and begins anew */
        rcce.own->ended = true;
        *word = said + 1;
    }
    until(word, said + 1);
    CHECK(RCCE_ue() == 1 || rcce_left() == 0);
    come(3 * 9);
    if (RCCE_ue() == 1)
        *word = said;
    until(word, said);
}

static void who_leaves_a_run_is_seen_unless_it_has_come_to_its_end(void **state)
{
    ues_kernels[47] = 0;
    ues(3, look_for_who_has_left);
}

/* Count each UE that waits in the last barrier, and each that notices there. Its first look is before that barrier. */
static uint32_t look_at_the_end(void)
{
    static unsigned looks, noticed;
    looks += rcce.calls->met[rcce.calls->core] != 0;
    if (looks == 2 || (rcce_left() == 2 + 1 && !noticed++))
        __atomic_fetch_add(&ues_kernels[47], 1, __ATOMIC_SEQ_CST);
    return 0;
}

/* All but core 2's UE are in the last barrier, when its program is killed and begins anew. */
static void leave_before_the_end(void)
{
    u32 said = rcce.own->life, *step = &ues_kernels[47];
    while (RCCE_ue() == 1 && __atomic_load_n(step, __ATOMIC_SEQ_CST) < 2)
        sched_yield();
    rcce.own->life += RCCE_ue() == 1;
    while (RCCE_ue() == 1 && __atomic_load_n(step, __ATOMIC_SEQ_CST) < 4)
        sched_yield();
    rcce.own->life = said;
}

static void who_is_missing_at_the_end_is_seen_by_all_who_wait_there(void **state)
{
    ues_kernels[47] = 0;
    ues_asks = look_at_the_end;
    ues(3, leave_before_the_end);
    ues_asks = ues_lost;
}

/* Begin as UE 0 of two, and return what it has said when it has ended, or has said something; *status: how it ended, or
 * -1. */
static const char *says_alone(int (*init)(int *, char ***), int *status)
{
    static char text[200];
    int out[2];
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    if (!child) {
        dup2(out[1], STDOUT_FILENO);
        alarm(UES_TIME);
        ues_init(2, 0, init);
        _exit(1);
    }
    close(out[1]);
    ssize_t n = read(out[0], text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    usleep(100000);
    if (waitpid(child, status, WNOHANG) == 0) {
        *status = -1;
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    close(out[0]);
    return text;
}

static bool all_but_2(uint32_t core) { return core != 2; }
static int init_without_core_2(int *argc, char ***argv)
{
    ((struct native_calls *)rcce.calls)->up = all_but_2;
    return RCCE_init(argc, argv);
}

static int init_by_a_fast_clock(int *argc, char ***argv)
{
    ((struct native_calls *)rcce.calls)->khz = 1000;
    return RCCE_init(argc, argv);
}

static void a_core_that_does_not_boot_ends_the_program(void **state)
{
    int status;
    assert_string_equal(says_alone(init_without_core_2, &status), "rcce: core 2 does not boot: the program ends\n");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 125);
}

static void a_core_that_does_not_come_is_named_and_waited_for(void **state)
{
    int status;
    assert_string_equal(says_alone(init_by_a_fast_clock, &status),
                        "rcce: waits for core 2, which has not begun for 30 s\n");
    assert_int_equal(status, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(who_leaves_a_run_is_seen_unless_it_has_come_to_its_end, ues_clear),
        cmocka_unit_test_setup(who_ends_after_they_have_met_is_lost_and_nobody_before, ues_clear),
        cmocka_unit_test_setup(a_core_that_does_not_boot_ends_the_program, ues_clear),
        cmocka_unit_test_setup(a_core_that_does_not_come_is_named_and_waited_for, ues_clear),
        cmocka_unit_test_setup(who_is_missing_at_the_end_is_seen_by_all_who_wait_there, ues_clear),
    };
    return cmocka_run_group_tests(tests, ues_setup, NULL);
}
