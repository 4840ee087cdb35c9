/* SPDX-License-Identifier: MIT */
/* Threads of a program for OpenMP on several cores: which thread a core has, and how one's loss ends all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <member.h>
#include <openmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES 48

static const u32 unchosen = 30; /* all other cores boot */
static u32 dead;                /* what this core's kernel says */
static unsigned rests;
static int status;
static jmp_buf ended;
static _Alignas(64) char shared[NATIVE_WORDS];
static char *argv[] = { "program", "5", "1.0", "30", "17", "0", "05", "47", "own", NULL };

__thread struct omp_thread omp_self;

static bool up(u32 core) { return core < CORES && core != unchosen; }
static uint32_t lost(void) { return dead; }
static void rest(void) { rests++; }
static void end(int with)
{
    status = with;
    longjmp(ended, 1);
}
void console_flush(void) { fflush(stdout); }

static volatile u32 line;

static struct native_calls calls(u32 core)
{
    return (struct native_calls){ .version = NATIVE_VERSION,
                                  .core = core,
                                  .shared = shared,
                                  .argc = 9,
                                  .argv = argv,
                                  .up = up,
                                  .lost = lost,
                                  .rest = rest,
                                  .line = &line,
                                  .exit = end };
}

/* A thread rests on a core whose kernel says `says`. Returns whether it has ended; `text` has what it printed. */
static bool rest_ends(u32 core, u32 id, u32 says, char *text, size_t size)
{
    struct native_calls c = calls(core);
    FILE *out = stdout;
    volatile bool over = false;
    memset(text, 0, size);
    omp_self = (struct omp_thread){ .calls = &c, .words = (struct omp_words *)shared, .id = id };
    dead = says;
    stdout = fmemopen(text, size, "w");
    if (setjmp(ended))
        over = true;
    else
        omp_rest();
    fclose(stdout);
    stdout = out;
    return over;
}

static int setup(void **state)
{
    memset(shared, 0, sizeof(shared));
    rests = 0;
    status = -1;
    return 0;
}

static void the_cores_that_were_named_and_boot_have_threads_in_order(void **state)
{
    static const struct {
        u32 core;
        int thread;
    } has[] = { { 0, 0 }, { 5, 1 }, { 17, 2 }, { 47, 3 }, { 30, -1 }, { 1, -1 } };
    for (size_t i = 0; i < sizeof(has) / sizeof(has[0]); i++) {
        struct native_calls c = calls(has[i].core);
        int threads = 0;
        assert_int_equal(member_find(&c, &threads), has[i].thread);
        assert_int_equal(threads, 4);
        assert_int_equal(member_arguments(&c), 7);
    }
}

static void who_loses_nobody_rests(void **state)
{
    char text[200];
    assert_false(rest_ends(0, 0, 0, text, sizeof(text)));
    assert_int_equal(rests, 1);
    assert_string_equal(text, "");
}

/* Thread 0's kernel has not been told: it began to watch later, or who watches the dead one has ended. */
static void who_is_told_of_a_dead_kernel_passes_it_on(void **state)
{
    static const char says[] = "openmp: the kernel of core 5 is dead: the program ends here, too\n";
    char text[200];
    assert_true(rest_ends(17, 2, 5 + 1, text, sizeof(text)));
    assert_int_equal(status, 125);
    assert_string_equal(text, says);
    assert_true(rest_ends(0, 0, 0, text, sizeof(text)));
    assert_int_equal(status, 125);
    assert_string_equal(text, says);
    assert_true(rest_ends(47, 3, 0, text, sizeof(text)));
    assert_string_equal(text, says);
    assert_int_equal(rests, 0);
}

static void of_a_thread_that_ends_alone_thread_0_says_so(void **state)
{
    char text[200];
    *(u32 *)(shared + NATIVE_LOST) = 1; /* by a kernel */
    assert_true(rest_ends(17, 2, 0, text, sizeof(text)));
    assert_string_equal(text, "");
    assert_true(rest_ends(0, 0, 0, text, sizeof(text)));
    assert_string_equal(text, "openmp: a thread has ended without the program: the others end, too\n");
    assert_int_equal(status, 125);
}

static void a_program_that_has_ended_has_lost_nobody(void **state)
{
    struct omp_words *w = (struct omp_words *)shared;
    char text[200];
    w->ended.word = 1;
    w->status = 7;
    assert_true(rest_ends(17, 2, 5 + 1, text, sizeof(text)));
    assert_int_equal(status, 7);
    assert_string_equal(text, "");
    assert_int_equal(*(u32 *)(shared + NATIVE_LOST), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_cores_that_were_named_and_boot_have_threads_in_order, setup),
        cmocka_unit_test_setup(who_loses_nobody_rests, setup),
        cmocka_unit_test_setup(who_is_told_of_a_dead_kernel_passes_it_on, setup),
        cmocka_unit_test_setup(of_a_thread_that_ends_alone_thread_0_says_so, setup),
        cmocka_unit_test_setup(a_program_that_has_ended_has_lost_nobody, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
