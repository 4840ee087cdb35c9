/* SPDX-License-Identifier: MIT */
/* A kernel's signs of life, and what it says of those of others: by their numbers, which programs compare. */
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
#define ALL   (~0ull >> (64 - SCC_CORES))

unsigned scc_core = ME;
u32 scc_life = 7;
bool host_irq_on = true;
u64 host_now = 1, time_hz = 1000000000;
static struct timer *timer;
static unsigned said;
static unsigned renewed;

ticks_t time_from_ns(u64 ns) { return ns; }
void scc_gic_renew(void) { renewed++; }
void printk(const char *fmt, ...) { said++; }
void timer_init(struct timer *t, void (*fn)(void *), void *arg) { *t = (struct timer){ .fn = fn, .arg = arg }; }
void timer_arm(struct timer *t, ticks_t deadline)
{
    timer = t;
    assert_int_equal(deadline, host_now + 1000000000);
}

static struct scc_shared *shared(void) { return scc_shared(); }
static u64 of(unsigned core) { return 1ull << core; }
static u64 all_but(unsigned core) { return ALL & ~of(core); }

/* Pass seconds, in each of which the kernels of `alive` give a sign. */
static void pass(unsigned seconds, u64 alive)
{
    for (; seconds; seconds--) {
        for (unsigned core = 0; core < SCC_CORES; core++)
            if (alive >> core & 1 && core != ME)
                shared()->beat[core]++;
        host_now += 1000000000;
        timer->fn(timer->arg);
    }
}

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
        shared()->up[core] = core == ME ? 7 : core + 1;
    pass(3, ALL);
    said = 0;
    return 0;
}

static void it_gives_a_sign_each_second(void **state)
{
    u32 before = shared()->beat[ME];
    renewed = 0;
    pass(3, ALL);
    assert_int_equal(shared()->beat[ME], before + 3);
    assert_int_equal(renewed, 3); /* its registers, too */
}

static void who_gives_no_sign_for_five_seconds_is_dead(void **state)
{
    pass(SCC_PATIENCE - 1, all_but(NEXT));
    pass(1, ALL); /* slow */
    pass(SCC_PATIENCE - 1, all_but(NEXT));
    assert_int_equal(scc_up(NEXT), NEXT + 1);
    pass(1, all_but(NEXT));
    assert_int_equal(scc_up(NEXT), NEXT + 1 + SCC_FOUND_DEAD);
    assert_int_equal(said, 1);
    pass(200, all_but(NEXT)); /* it is found once */
    assert_int_equal(scc_up(NEXT), NEXT + 1 + SCC_FOUND_DEAD);
    for (unsigned core = 0; core < SCC_CORES; core++)
        assert_true(core == NEXT || scc_up(core) == (core == ME ? 7 : core + 1));
    assert_int_equal(said, 1);
}

/* All kernels look; another one was faster. */
static void who_another_kernel_has_found_is_not_found_again(void **state)
{
    pass(SCC_PATIENCE - 1, all_but(NEXT));
    shared()->up[NEXT] += SCC_FOUND_DEAD;
    pass(100, all_but(NEXT));
    assert_int_equal(scc_up(NEXT), NEXT + 1 + SCC_FOUND_DEAD);
    assert_int_equal(said, 0);
}

/* Whatever programs run where: each of them may have ended on the core that looked for it. */
static void each_core_is_watched_and_again_after_it_was_dead(void **state)
{
    pass(SCC_PATIENCE, of(NEXT));
    assert_int_equal(scc_up(THIRD), THIRD + 1 + SCC_FOUND_DEAD);
    pass(2, ALL); /* the host of its emulator was busy: it lives */
    pass(SCC_PATIENCE, all_but(THIRD));
    assert_int_equal(scc_up(THIRD), THIRD + 1 + 2 * SCC_FOUND_DEAD);
    shared()->up[THIRD] = 0;
    pass(100, all_but(THIRD));
    assert_int_equal(scc_up(THIRD), 0);
    shared()->up[THIRD] = THIRD + 2;
    shared()->beat[THIRD] = 1;
    pass(SCC_PATIENCE, all_but(THIRD));
    assert_int_equal(scc_up(THIRD), THIRD + 2);
    pass(1, all_but(THIRD));
    assert_int_equal(scc_up(THIRD), THIRD + 2 + SCC_FOUND_DEAD);
}

/* A fleet's core: killed, its word cleared by the host, its next kernel up, between two looks. */
static void who_starts_again_between_two_looks_has_another_number_and_is_not_dead(void **state)
{
    u32 met = scc_up(NEXT);
    pass(SCC_PATIENCE - 1, all_but(NEXT));
    shared()->beat[NEXT] = 0;
    shared()->up[NEXT] = NEXT + 2;
    assert_int_not_equal(scc_up(NEXT), met);
    pass(SCC_PATIENCE_BOOT, all_but(NEXT)); /* it boots */
    assert_int_equal(scc_up(NEXT), NEXT + 2);
    pass(1, all_but(NEXT));
    assert_int_equal(scc_up(NEXT), NEXT + 2 + SCC_FOUND_DEAD);
}

static void its_own_number_is_written_again(void **state)
{
    shared()->up[ME] = 0x12345678;
    pass(1, ALL);
    assert_int_equal(scc_up(ME), 7);
    shared()->up[ME] += SCC_FOUND_DEAD; /* others have found it dead: that stays */
    pass(1, ALL);
    assert_int_equal(scc_up(ME), 7 + SCC_FOUND_DEAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_gives_a_sign_each_second, setup),
        cmocka_unit_test_setup(who_gives_no_sign_for_five_seconds_is_dead, setup),
        cmocka_unit_test_setup(who_another_kernel_has_found_is_not_found_again, setup),
        cmocka_unit_test_setup(each_core_is_watched_and_again_after_it_was_dead, setup),
        cmocka_unit_test_setup(who_starts_again_between_two_looks_has_another_number_and_is_not_dead, setup),
        cmocka_unit_test_setup(its_own_number_is_written_again, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
