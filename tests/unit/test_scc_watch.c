/* SPDX-License-Identifier: MIT */
/* A kernel's signs of life, and what it says of those of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <board/gic.h>
#include <board/watch.h>
#include <core/timer.h>
#include <string.h>
#include <sys/mman.h>

#define ME    5u
#define NEXT  17u
#define THIRD 40u

unsigned scc_core = ME;
bool host_irq_on = true;
u64 host_now = 1, time_hz = 1000000000;
static struct timer *timer;
static unsigned said;
static unsigned renewed;
static struct scc_watch watch, other;
static u32 lost, others_lost;

ticks_t time_from_ns(u64 ns) { return ns; }
bool scc_chosen(unsigned core) { return core == ME || core == NEXT || core == THIRD; }
void scc_gic_renew(void) { renewed++; }
void printk(const char *fmt, ...) { said++; }
void timer_init(struct timer *t, void (*fn)(void *), void *arg) { *t = (struct timer){ .fn = fn, .arg = arg }; }
void timer_arm(struct timer *t, ticks_t deadline)
{
    timer = t;
    assert_int_equal(deadline, host_now + 1000000000);
}

static struct scc_shared *shared(void) { return scc_shared(); }

/* Pass seconds, in each of which the kernels of `alive` give a sign. */
static void pass(unsigned seconds, u64 alive)
{
    for (; seconds; seconds--) {
        for (unsigned core = 0; core < SCC_CORES; core++)
            if (alive >> core & 1)
                shared()->beat[core]++;
        host_now += 1000000000;
        timer->fn(timer->arg);
    }
}

static u64 of(unsigned core) { return 1ull << core; }

static int group_setup(void **state)
{
    void *at =
        mmap(scc_shared(), 0x100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != scc_shared())
        return -1;
    scc_beat_begin();
    struct timer *first = timer;
    timer = NULL;
    scc_beat_begin(); /* again: nothing */
    bool once = !timer;
    timer = first;
    return once ? 0 : -1;
}

static int setup(void **state)
{
    memset(shared(), 0, sizeof(*shared()));
    for (unsigned core = 0; core < SCC_CORES; core++)
        shared()->up[core] = SCC_MAGIC;
    shared()->deaths[NEXT] = 300;
    said = 0;
    lost = 77;
    scc_watch_begin(&watch, "program", of(ME) | of(NEXT) | of(THIRD) | of(47), &lost);
    assert_int_equal(lost, 0);
    return 0;
}

static int teardown(void **state)
{
    scc_watch_end(&watch);
    scc_watch_end(&other);
    return 0;
}

static void it_gives_a_sign_each_second(void **state)
{
    u32 before = shared()->beat[ME];
    pass(1, of(NEXT));
    before = shared()->beat[ME];
    renewed = 0;
    pass(3, of(NEXT));
    assert_int_equal(shared()->beat[ME], before + 3);
    assert_int_equal(renewed, 3); /* its registers, too */
}

static void who_gives_no_sign_for_five_seconds_is_dead(void **state)
{
    pass(100, of(NEXT));
    pass(SCC_PATIENCE - 1, 0);
    pass(1, of(NEXT)); /* slow */
    pass(SCC_PATIENCE - 1, 0);
    assert_int_equal(lost | said, 0);
    pass(1, 0);
    assert_int_equal(lost, NEXT + 1);
    assert_int_equal(shared()->deaths[NEXT], 301);
    pass(20, 0);
    assert_int_equal(said, 1);
    assert_int_equal(shared()->deaths[NEXT], 301);
    assert_int_equal(shared()->deaths[THIRD], 0); /* which another one watches */
}

static void who_does_not_run_yet_is_waited_for_and_who_ends_is_dead(void **state)
{
    shared()->up[NEXT] = 0;
    pass(100, 0);
    assert_int_equal(lost, 0);
    shared()->up[NEXT] = SCC_MAGIC;
    pass(2, of(NEXT));
    shared()->up[NEXT] = 0;
    pass(1, 0);
    assert_int_equal(lost, NEXT + 1);
    shared()->deaths[THIRD]++;
    pass(20, 0);
    assert_int_equal(lost, NEXT + 1); /* the first one */
    assert_int_equal(said, 1);
}

static void who_another_kernel_counts_is_dead(void **state)
{
    shared()->deaths[46]++; /* not the program's */
    pass(1, of(NEXT));
    assert_int_equal(lost, 0);
    shared()->deaths[THIRD]++;
    pass(1, of(NEXT));
    assert_int_equal(lost, THIRD + 1);
    assert_int_equal(said, 0);
}

static void each_program_has_its_own_cores_and_its_own_end(void **state)
{
    scc_watch_begin(&other, "other", of(ME), &others_lost);
    scc_watch_end(&watch);
    pass(20, 0);
    assert_int_equal(lost | others_lost | said, 0);
    assert_int_equal(other.watched, SCC_CORES);
    scc_watch_end(&watch); /* once more */
    shared()->deaths[NEXT]++;
    scc_watch_begin(&watch, "program", of(NEXT), &lost); /* what was before does not count */
    pass(3, of(NEXT));
    assert_int_equal(lost | others_lost, 0);
    shared()->deaths[ME]++;
    pass(1, of(NEXT));
    assert_int_equal(lost, 0);
    assert_int_equal(others_lost, ME + 1);
    static struct scc_watch never;
    scc_watch_end(&never);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_gives_a_sign_each_second, setup, teardown),
        cmocka_unit_test_setup_teardown(who_gives_no_sign_for_five_seconds_is_dead, setup, teardown),
        cmocka_unit_test_setup_teardown(who_does_not_run_yet_is_waited_for_and_who_ends_is_dead, setup, teardown),
        cmocka_unit_test_setup_teardown(who_another_kernel_counts_is_dead, setup, teardown),
        cmocka_unit_test_setup_teardown(each_program_has_its_own_cores_and_its_own_end, setup, teardown),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
