/* SPDX-License-Identifier: MIT */
/* test_shell_clusters.c - how the shell of a many-core starts and ends programs (user/shell/clusters/run.c), and what
 * it says. The test is the process servers of two clusters, and what is typed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SAID 1000
#include "say.h"

#define printf say
#include "output.c"
#include "run.c"
#undef printf

#define CLUSTERS 2

static unsigned typed, starts, kills;
static int last_killed, outcome; /* of a kill */
static int refusal;              /* of the second cluster's starts, if it is not 0 */
static bool types_while_it_starts, goes_on, has_name, stays, runs[CLUSTERS + 1];
static const char *writes[CLUSTERS + 1];
static unsigned flood; /* pieces of output that are still to come */
static int dropped;    /* output was, which is told once by this error */

int64_t amalgam_console_interrupts(void) { return typed; }
static uint64_t now;
uint64_t amalgam_clock(void) { return now; }
int64_t amalgam_sleep_until(uint64_t deadline)
{
    assert_true(deadline > now && now < 60000000000); /* a minute is for ever */
    now = deadline;
    assert_true(!types_while_it_starts || kills); /* or nothing ends it */
    return 0;
}

int nanvix_process_cluster(unsigned i, int *node)
{
    *node = (int)i;
    return i < CLUSTERS ? 0 : -EINVAL;
}

int nanvix_process_start_piped(int node, const void *bytes, size_t size, int threads, const char *const arguments[],
                               const char *const variables[])
{
    (void)bytes, (void)size, (void)threads, (void)arguments, (void)variables;
    if (node && refusal)
        return refusal;
    typed += types_while_it_starts;
    runs[++starts] = types_while_it_starts || goes_on;
    return (int)starts;
}

int nanvix_process_output(int number, char *to)
{
    size_t n = strlen(writes[number]), piece = n < 7 ? n : 7;
    if (dropped && !n) {
        int error = dropped;
        dropped = 0;
        return error;
    }
    if (flood) { /* ^C is typed at some time */
        typed += flood-- == 1;
        memcpy(to, "flood\n", 6);
        said[0] = '\0';
        return 6;
    }
    memcpy(to, writes[number], piece);
    writes[number] += piece;
    return n ? (int)piece : runs[number] ? -EAGAIN : 0;
}

int nanvix_process_wait(int number, int *status)
{
    assert_true(runs[number] || !*writes[number]); /* or the last of its output is lost */
    *status = 0;
    return runs[number] ? -EAGAIN : 0;
}

int nanvix_process_kill(int number)
{
    kills++;
    last_killed = number;
    if (number <= CLUSTERS && !stays)
        runs[number] = false;
    return outcome;
}

int nanvix_process_kill_name(const char *name)
{
    (void)name;
    has_name = true;
    return outcome;
}

static int setup(void **state)
{
    (void)state;
    typed = starts = kills = 0;
    last_killed = refusal = 0;
    outcome = 1;
    types_while_it_starts = goes_on = has_name = stays = false;
    dropped = 0;
    now = flood = 0;
    writes[1] = writes[2] = "";
    memset(runs, 0, sizeof(runs));
    memset(beside, 0, sizeof(beside));
    said[0] = '\0';
    return 0;
}

static void type_kill(const char *word)
{
    char *words[] = { (char *)(uintptr_t) "kill", (char *)(uintptr_t)word, NULL };
    run_kill(2, words);
}

/* This file stands for the program. */
static void type_run(const char *clusters)
{
    char *words[] = { (char *)(uintptr_t) "run", (char *)(uintptr_t)__FILE__, (char *)(uintptr_t) "-c",
                      (char *)(uintptr_t)clusters, NULL };
    run_program(4, words);
}

static void what_is_killed_is_a_number_of_an_int_or_a_name(void **state)
{
    (void)state;
    static const char *const none[] = { "0", "4294967301", "2147483648", "99999999999999999999" };
    type_kill("16777217");
    assert_true(kills == 1 && last_killed == 16777217 && !has_name);
    for (unsigned i = 0; i < 4; i++) {
        said[0] = '\0';
        type_kill(none[i]);
        assert_true(kills == 1 && !has_name);
        assert_non_null(strstr(said, "nothing of that name or number"));
    }
    type_kill("7zip");
    assert_true(has_name && kills == 1);
}

static void a_kill_of_what_has_ended_is_no_error(void **state)
{
    (void)state;
    outcome = 0;
    type_kill("5");
    assert_string_equal(said, "");
    outcome = -EIO;
    type_kill("5");
    assert_non_null(strstr(said, "has begun anew"));
}

static void an_interrupt_while_programs_are_started_ends_them(void **state)
{
    (void)state;
    types_while_it_starts = true;
    type_run("2");
    assert_true(starts == 2 && kills == 2);
}

/* Programs that are told of more clusters than run them would wait for ever. */
static void where_too_few_clusters_take_it_none_goes_on(void **state)
{
    (void)state;
    type_run("3");
    assert_non_null(strstr(said, "there are only 2 clusters\n"));
    assert_true(!starts && !kills);
    said[0] = '\0';
    refusal = -ENOEXEC;
    goes_on = true;
    type_run("2");
    assert_non_null(strstr(said, "only 1 of 2 clusters take it: it is no program for these cores\n"));
    assert_true(starts == 1 && kills == 1 && last_killed == 1 && !runs[1]);
    said[0] = '\0';
    starts = kills = 0;
    goes_on = false;
    type_run("1");
    assert_string_equal(said, "");
    assert_true(starts == 1 && !kills);
}

/* Its server does not answer, or does not end it: neither keeps the shell from its next line. */
static void what_does_not_end_is_said_and_not_waited_for_for_ever(void **state)
{
    (void)state;
    refusal = -EAGAIN;
    goes_on = stays = true;
    for (outcome = -EIO; outcome != 2; outcome = outcome == 1 ? 2 : 1) {
        said[0] = '\0';
        starts = 0;
        type_run("2");
        assert_non_null(strstr(said, "[1] may run on: its server does not end it\n"));
    }
    said[0] = '\0';
    runs[1] = false; /* its slot is free when that was asked for */
    run_say_ends();
    assert_non_null(strstr(said, "[1] exit status 0\n"));
}

/* Its server says for ever that it runs, or that there is more output. */
static void an_interrupt_gives_the_prompt_back_whatever_a_server_says(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        setup(state);
        types_while_it_starts = stays = true;
        flood = i ? UINT_MAX : 0;
        type_run("1");
        assert_true(kills == 1 && strstr(said, "[1] may run on: its server does not end it\n"));
        assert_int_equal(beside[0].number, 1);
    }
}

/* And no file of that name is looked for. */
static void an_option_in_the_programs_place_is_answered_by_the_usage(void **state)
{
    (void)state;
    char *words[] = { (char *)(uintptr_t) "run", (char *)(uintptr_t) "-n", (char *)(uintptr_t) "2", NULL };
    run_program(3, words);
    assert_string_equal(said, "run PROGRAM [-n THREADS] [-c CLUSTERS] [WORD ...] [&]\n");
    words[1] = (char *)(uintptr_t) "&";
    words[2] = NULL;
    said[0] = '\0';
    run_program(2, words);
    assert_string_equal(said, "run PROGRAM [-n THREADS] [-c CLUSTERS] [WORD ...] [&]\n");
    assert_int_equal(starts, 0);
}

/* Nobody would read what it writes, and it would keep its slot. */
static void what_has_no_place_beside_is_not_started(void **state)
{
    (void)state;
    char *words[] = { (char *)(uintptr_t) "run", (char *)(uintptr_t)__FILE__, (char *)(uintptr_t) "&", NULL };
    goes_on = true;
    for (unsigned i = 0; i < BESIDE - 1; i++)
        beside[i].number = 2;
    run_program(3, words);
    assert_int_equal(starts, 1);
    words[2] = (char *)(uintptr_t) "&";
    run_program(3, words);
    assert_int_equal(starts, 1);
    assert_non_null(strstr(said, "32 programs run beside, and 32 at most may: kill some\n"));
}

static void what_programs_write_is_said_by_whole_lines(void **state)
{
    (void)state;
    writes[1] = "first line\nsecond\r\n";
    writes[2] = "other\tone\nand \33[2J\200 the rest";
    type_run("2");
    assert_string_equal(said, "0: first line\n0: second\n1: other\tone\n1: and ?[2J? the rest\n");
    said[0] = '\0';
    starts = 0;
    writes[1] = "alone\n";
    type_run("1");
    assert_string_equal(said, "alone\n");
    static char longest[OUTPUT_LINE + 3];
    memset(longest, 'x', sizeof(longest) - 1);
    said[0] = '\0';
    starts = 0;
    writes[1] = longest;
    type_run("1");
    assert_string_equal(said + OUTPUT_LINE, "\nxx\n");
}

static void what_is_lost_of_what_programs_write_is_said_once(void **state)
{
    (void)state;
    goes_on = true;
    char *words[] = { (char *)(uintptr_t) "run", (char *)(uintptr_t)__FILE__, (char *)(uintptr_t) "&", NULL };
    run_program(3, words);
    dropped = -EPIPE;
    writes[1] = "a line\nand";
    said[0] = '\0';
    run_say_ends();
    run_say_ends();
    assert_string_equal(said, "a line\nand\n[1] the rest of its output is lost: nothing was typed here for too long\n");
    said[0] = '\0';
    dropped = -EIO; /* an answer came too late, with a piece in it */
    run_say_ends();
    run_say_ends();
    runs[1] = false;
    run_say_ends();
    assert_string_equal(said, "[1] some of its output may be lost: its server was late\n[1] exit status 0\n");
}

static void a_flood_keeps_nobody_from_an_interrupt(void **state)
{
    (void)state;
    goes_on = true;
    flood = 20 * AT_ONCE; /* it is typed in the middle of it */
    type_run("1");
    assert_true(!flood && kills == 1);
}

/* What runs beside says no more at a prompt than this, however much it writes. */
static void what_runs_beside_says_a_bounded_piece_at_each_prompt(void **state)
{
    (void)state;
    char *words[] = { (char *)(uintptr_t) "run", (char *)(uintptr_t)__FILE__, (char *)(uintptr_t) "&", NULL };
    goes_on = true;
    run_program(3, words);
    assert_string_equal(said, "[1]\n");
    flood = 2 * AT_ONCE + 1;
    run_say_ends();
    assert_int_equal(flood, AT_ONCE + 1);
    run_say_ends();
    run_say_ends();
    assert_int_equal(flood, 0);
    runs[1] = false;
    writes[1] = "last";
    said[0] = '\0';
    run_say_ends();
    assert_string_equal(said, "last\n[1] exit status 0\n");
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_killed_is_a_number_of_an_int_or_a_name),
        TEST(a_kill_of_what_has_ended_is_no_error),
        TEST(an_interrupt_while_programs_are_started_ends_them),
        TEST(where_too_few_clusters_take_it_none_goes_on),
        TEST(what_does_not_end_is_said_and_not_waited_for_for_ever),
        TEST(an_interrupt_gives_the_prompt_back_whatever_a_server_says),
        TEST(an_option_in_the_programs_place_is_answered_by_the_usage),
        TEST(what_has_no_place_beside_is_not_started),
        TEST(what_programs_write_is_said_by_whole_lines),
        TEST(what_is_lost_of_what_programs_write_is_said_once),
        TEST(a_flood_keeps_nobody_from_an_interrupt),
        TEST(what_runs_beside_says_a_bounded_piece_at_each_prompt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
