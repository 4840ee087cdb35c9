/* SPDX-License-Identifier: MIT */
/* A limit of the cores that are awake: each place that is taken belongs to a core that is awake, also if a thread
 * becomes ready on a core while a place is handed over to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <core/timer.h>

#include "../../kernel/cluster/cores.c"
#include "../../kernel/core/awake.c"

#define CORES 6 /* the first is the master */

struct cpu *host_this_cpu;
bool host_irq_on;
struct boot_info boot_info;
struct cpu *cpus[MAX_CPUS];
unsigned n_cpus;
static struct cpu core[CORES];
static struct cpu *woken_meanwhile; /* a thread becomes ready there just before its run queue is locked */
static bool woke;

static void before_a_lock(const void *l)
{
    struct cpu *c = woken_meanwhile;
    if (c && l == &c->sched.lock) {
        woken_meanwhile = NULL;
        woke = core_wakes(c);
    }
}
void hal_ipi_resched(unsigned id) {}
void hal_timer_arm(ticks_t deadline) {}

/* A thread becomes ready on the core, or its last one blocks. */
static bool wakes(unsigned id) { return core_wakes(&core[id]); }
static void sleeps(unsigned id) { core_sleeps(&core[id]); }

static bool is_awake(unsigned id) { return core[id].sched.active != &asleep; }
static unsigned n_awake(void)
{
    unsigned n = 0;
    for (unsigned i = 1; i < CORES; i++)
        n += is_awake(i);
    return n;
}
static void assert_awake(unsigned n)
{
    assert_int_equal(n_awake(), n);
    assert_int_equal(core_awake().now, n);
}

static int setup(void **state)
{
    host_at_lock = before_a_lock;
    memset(core, 0, sizeof(core));
    memset(waits, 0, sizeof(waits));
    places = (struct awake){ 0 };
    first = n_waiting = 0;
    boot_info.awake = 2;
    boot_info.exempt = 0;
    n_cpus = CORES;
    for (unsigned i = 0; i < CORES; i++) {
        cpus[i] = &core[i];
        core[i].id = i;
        core[i].sched.active = &core[i].sched.group[0];
    }
    awake_init();
    return 0;
}

static void the_first_to_wait_is_the_first_to_wake(void **state)
{
    assert_true(wakes(1) && wakes(2));
    assert_false(wakes(3) || wakes(4) || wakes(3));
    sleeps(1);
    assert_true(is_awake(3) && !is_awake(4));
    sleeps(2);
    assert_true(is_awake(4));
    assert_awake(2);
    sleeps(3);
    sleeps(4);
    assert_awake(0);
    assert_int_equal(core_awake().most, 2);
}

/* Core 1 hands its place to core 2. Before it wakes it another thread becomes ready there. */
static void hand_over_beside_a_wake(void)
{
    assert_true(wakes(1) && wakes(3));
    assert_false(wakes(2));
    woken_meanwhile = &core[2];
    sleeps(1);
    assert_null(woken_meanwhile);
    assert_false(woke); /* who hands the place over wakes it */
    assert_true(is_awake(2));
    assert_awake(2);
}

static void a_core_that_gets_a_place_does_not_queue_again(void **state)
{
    hand_over_beside_a_wake();
    assert_int_equal(n_waiting, 0);
    sleeps(3);
    assert_awake(1);
    sleeps(2);
    assert_awake(0);
}

static void no_place_is_lost_however_often_it_is_handed_over(void **state)
{
    for (unsigned i = 0; i < 100; i++) {
        hand_over_beside_a_wake();
        sleeps(3);
        sleeps(2);
        assert_awake(0);
    }
    assert_true(wakes(4) && wakes(5));
}

/* Core 3 gives its place back while core 2, which has that of core 1, is not awake yet. */
static void a_core_that_gets_a_place_does_not_take_a_second_one(void **state)
{
    assert_true(wakes(1) && wakes(3));
    assert_false(wakes(2));
    spin_lock(&core[1].sched.lock);
    core[1].sched.active = &asleep;
    struct cpu *next = hand_over();
    spin_unlock(&core[1].sched.lock);
    assert_ptr_equal(next, &core[2]);
    sleeps(3);
    assert_false(wakes(2));
    wake(next);
    assert_awake(1);
    assert_true(wakes(4));
    assert_awake(2);
}

/* The exempt core takes no place, neither at the beginning nor when it has nothing to run. */
static void the_exempt_core_is_always_awake(void **state)
{
    boot_info.exempt = CORES - 1;
    for (unsigned i = 0; i < CORES; i++)
        core[i].sched.active = &core[i].sched.group[0];
    awake_init();
    assert_true(is_awake(CORES - 1));
    sleeps(CORES - 1);
    assert_true(is_awake(CORES - 1));
    assert_int_equal(core_awake().now, 0);
    assert_true(wakes(1) && wakes(2));
    assert_false(wakes(3));
}

/* What a process is told of each core, with a limit of one. Threads of cores 1 and 2 become ready. */
static void a_core_is_awake_while_it_runs_a_thread_and_waits_where_the_limit_keeps_it(void **state)
{
    static struct thread idle, runs;
    boot_info.awake = 1;
    awake_init();
    for (unsigned i = 0; i < CORES; i++)
        core[i].sched.running = core[i].sched.idle = &idle;
    assert_int_equal(core_call_core_state(NULL, 1), DARK);
    for (unsigned i = 1; i <= 2; i++) {
        core[i].sched.group[0].map = 1;
        wakes(i);
    }
    assert_int_equal(core_call_core_state(NULL, 1), AWAKE); /* about to run it */
    assert_int_equal(core_call_core_state(NULL, 2), WAITS);
    core[1].sched.group[0].map = 0;
    core[1].sched.running = &runs;
    assert_int_equal(core_call_core_state(NULL, 1), AWAKE);
    core[1].sched.running = &idle;
    sleeps(1); /* core 2 has its place now */
    assert_int_equal(core_call_core_state(NULL, 1), DARK);
    assert_int_equal(core_call_core_state(NULL, 2), AWAKE);
    core[0].sched.running = &runs;
    assert_int_equal(core_call_core_state(NULL, 0), AWAKE);
    assert_int_equal(core_call_core_state(NULL, CORES), -EINVAL);
    cpus[3] = NULL;
    assert_int_equal(core_call_core_state(NULL, 3), -EINVAL);
}

static unsigned fired;
static void fire(void *arg) { fired++; }

/* The run queue that is active on such a core has no lists. The timer is what makes a thread of the core ready. */
static void a_timer_in_a_set_fires_on_a_core_that_sleeps(void **state)
{
    static struct timer t;
    static struct timer_set set;
    struct cpu *c = host_this_cpu = &core[1];
    list_init(&c->timers);
    c->alarm = TICKS_NEVER;
    list_init(&c->sched.group[0].timer_sets);
    timer_set_init(&set, &c->sched.group[0]);
    assert_true(wakes(1));
    sleeps(1);
    assert_false(is_awake(1));
    assert_int_equal(timers_next(c), TICKS_NEVER);
    timer_init(&t, fire, NULL);
    t.set = &set;
    timer_arm(&t, 100);
    assert_int_equal(timers_next(c), 100);
    timers_run(c, 99);
    assert_int_equal(fired, 0);
    timers_run(c, 100);
    assert_int_equal(fired, 1);
    assert_int_equal(timers_next(c), TICKS_NEVER);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(the_first_to_wait_is_the_first_to_wake),
        T(a_core_that_gets_a_place_does_not_queue_again),
        T(no_place_is_lost_however_often_it_is_handed_over),
        T(a_core_that_gets_a_place_does_not_take_a_second_one),
        T(a_timer_in_a_set_fires_on_a_core_that_sleeps),
        T(the_exempt_core_is_always_awake),
        T(a_core_is_awake_while_it_runs_a_thread_and_waits_where_the_limit_keeps_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
