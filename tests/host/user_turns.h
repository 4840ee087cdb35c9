/* SPDX-License-Identifier: MIT */
/*
 * user_turns.h - a port's real user.c under the scheduler: two threads that take turns on one core, each with an
 * address space of its own, whose counts of turns (thread.turns) begin just before the end of the number.
 *
 * The port's test includes this file, defines number_of() and name_space(), and then includes its user.c. It calls
 * load_number() where the processor is given a space, and outside() where the program would run.
 */
#ifndef AMALGAM_TESTS_USER_TURNS_H
#define AMALGAM_TESTS_USER_TURNS_H

#include "threads.h"

#define TURNS 12 /* the end is among the first ones */

/* The number of a space: what the processor is given. */
static unsigned long number_of(const struct space *s);
static void name_space(struct space *s, unsigned long number);

static unsigned long loaded; /* the number of the space that the processor was given last */
static unsigned loads;       /* how often it was given one */
static unsigned runs;        /* how often a program ran */
static unsigned strangers;   /* how often it had another's memory */
static unsigned unheard;     /* how often what was forgotten was not loaded again, once */

static struct program {
    struct user user;
    struct space space;
    struct thread *thread;
} programs[2];

static void outside(const struct user *u)
{
    runs++;
    strangers += loaded != number_of(u->space);
}

static void load_number(unsigned long number)
{
    loads++;
    loaded = number;
}

static void start(struct program *p) { user_start(&p->user, &p->space, &p->thread->turns, 0x400000, 0x500000, 0, 0); }

static void run(struct program *p)
{
    struct user_exit e;
    irq_disable();
    user_run(&p->user, &e);
    irq_enable();
}

/* Start the program, let the other thread have the core, and run it: a life that begins at each count. */
static void begin_lives(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        start(arg);
        thread_yield();
        run(arg);
    }
}

static void keep_running(void *arg)
{
    start(arg);
    for (int i = 0; i < TURNS; i++) {
        run(arg);
        thread_yield();
    }
}

/* What is forgotten at each count is loaded, once, and then it is not forgotten any more. */
static void forget_and_run(void *arg)
{
    struct program *p = arg;
    start(p);
    for (int i = 0; i < TURNS; i++) {
        run(p);
        unsigned before = loads;
        user_forget(&p->user);
        bool told = user_forgot(&p->user);
        run(p);
        run(p);
        unheard += !told || loads != before + 1 || user_forgot(&p->user);
        thread_yield();
    }
}

/* `left` turns before the number comes round. It is what it would be then: the counts of a thread are odd. */
static void spawn_late(struct program *p, void (*body)(void *), unsigned long left)
{
    p->thread = spawn("t", 0, 8, body, p);
    p->thread->turns -= 2 * left;
}

static void turn_by_turn(void (*body)(void *))
{
    loaded = loads = runs = strangers = unheard = 0;
    for (unsigned i = 0; i < 2; i++) {
        name_space(&programs[i].space, (i + 1) * PAGE_SIZE);
        spawn_late(&programs[i], body, 3 + i);
    }
    host_settle();
    assert_true(runs >= 2 * TURNS);
    assert_int_equal(strangers, 0);
    assert_int_equal(unheard, 0);
}

static void a_life_that_begins_at_any_count_runs_in_its_own_memory(void **state) { turn_by_turn(begin_lives); }
static void a_thread_runs_in_its_own_memory_at_any_count(void **state) { turn_by_turn(keep_running); }
static void what_is_forgotten_at_any_count_is_loaded_again(void **state) { turn_by_turn(forget_and_run); }

static inline int run_turns(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_life_that_begins_at_any_count_runs_in_its_own_memory, setup),
        cmocka_unit_test_setup(a_thread_runs_in_its_own_memory_at_any_count, setup),
        cmocka_unit_test_setup(what_is_forgotten_at_any_count_is_loaded_again, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
