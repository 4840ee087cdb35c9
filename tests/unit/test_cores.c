/* SPDX-License-Identifier: MIT */
/* Cores leave when nobody needs them and come back; nobody sends an interrupt to one that is not there (host.c aborts).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dynamic.h"
#include "lock_order.h"

static u64 before;

static int setup(void **state)
{
    dynamic_boot(2);
    before = frames_free_bytes();
    return 0;
}

static void cores_leave_when_nobody_needs_them(void **state)
{
    struct cpu *first = cpus[0], *second = cpus[1];
    assert_int_equal(load(put_image(), 0), 0);
    assert_int_equal(core_leave(1), -EBUSY);
    assert_int_equal(core_leave(0), -EBUSY);
    assert_int_equal(unload(), 0);
    assert_int_equal(core_leave(0), -EBUSY); /* the last one leaves last */
    assert_int_equal(core_leave(2), -ENODEV);
    assert_int_equal(core_leave(~0u), -ENODEV);
    assert_int_equal(core_leave(1), 0);
    assert_int_equal(load(put_image(), 0), -ENODEV);
    assert_true(said("core 1, which is not there"));
    assert_true(idle_leaves(1));
    assert_int_equal(n_cpus, 1);
    assert_null(cpus[1]);
    assert_false(core_present(1));
    assert_int_equal(core_leave(1), -ENODEV);
    assert_null(thread_create("t", 1, 8, NULL, NULL, NULL, false));
    assert_int_equal(load(put_image(), 0), -ENODEV);
    assert_true(said("wants 2 cores, this machine has 1"));
    assert_int_equal(host_ipis_to[1], ipis_until_it_left);
    assert_int_equal(core_join(second), 1);
    host_adopt();
    assert_int_equal(n_cpus, 2);
    assert_int_equal(load(put_image(), 0), 0); /* it is on its way: what it is to run waits */
    second->online = true;
    assert_int_equal(unload(), 0);
    assert_int_equal(frames_free_bytes(), before);
    assert_ptr_equal(cpus[0], first);
}

static void core_0_ends_its_threads_and_begins_afresh(void **state)
{
    struct cpu *first = cpus[0], *second = cpus[1];
    core_go = true;
    assert_int_equal(core_leave(1), 0);
    assert_true(idle_leaves(1));
    u64 with_monitor = frames_free_bytes();
    host_type(1, "\xff\xfeli", 4); /* half a command */
    host_settle();
    assert_int_equal(core_leave(0), 0);
    assert_true(idle_leaves(0));
    assert_int_equal(threads(), 0);
    assert_true(frames_free_bytes() > with_monitor);
    assert_int_equal(n_cpus, 0);
    assert_false(core_go);
    /* The other one comes first this time. */
    assert_int_equal(core_join(second), 0);
    assert_int_equal(core_join(first), 1);
    first->online = second->online = true;
    host_adopt(); /* idle contexts by number */
    monitor_start();
    host_settle();
    assert_int_equal(frames_free_bytes(), with_monitor);
    assert_int_equal(type_line("list"), 0);
    assert_int_equal(load(put_image(), 0), 0);
    assert_int_equal(unload(), 0);
    assert_int_equal(frames_free_bytes(), before);
}

static void the_numbers_of_cores_have_no_holes_for_long(void **state)
{
    struct cpu more[2] = { 0 };
    assert_int_equal(core_join(&more[0]), 2);
    assert_int_equal(core_join(&more[1]), 3);
    more[0].online = more[1].online = true;
    host_adopt();
    assert_int_equal(core_leave(2), 0);
    assert_true(idle_leaves(2));
    assert_int_equal(n_cpus, 4);
    type_line("cpus");
    assert_true(said("cpu 3 online"));
    assert_false(said("cpu 2"));
    assert_int_equal(load(put_image(), 0), 0); /* does not use it */
    assert_int_equal(core_join(&more[0]), 2);
    host_adopt();
    assert_int_equal(core_leave(3), 0);
    assert_true(idle_leaves(3));
    assert_int_equal(unload(), 0);
    more[0].online = true;
    assert_int_equal(core_leave(2), 0);
    assert_true(idle_leaves(2));
    assert_int_equal(n_cpus, 2);
    assert_int_equal(frames_free_bytes(), before);
}

/* One of the board's: the core's list of timers begins anew when it comes back. */
static void a_core_leaves_without_timers(void **state)
{
    static struct timer pause;
    struct cpu *me = host_this_cpu, *second = cpus[1];
    timer_init(&pause, NULL, NULL);
    host_this_cpu = second;
    timer_arm(&pause, TICKS_NEVER - 1);
    host_this_cpu = me;
    assert_int_equal(core_leave(1), 0);
    assert_true(idle_leaves(1));
    assert_false(pause.armed);
    assert_int_equal(core_join(second), 1);
    host_adopt();
    second->online = true;
    assert_int_equal(load(put_image(), 0), 0);
    assert_int_equal(unload(), 0);
}

/* Core 2, which no system uses, has been asked to leave and does so at the `leaves_at`th time that another core turns
 * its interrupts off. */
static unsigned leaves_at;
static void leave_meanwhile(void)
{
    if (leaves_at--) {
        host_elsewhere = leave_meanwhile;
        return;
    }
    struct cpu *me = host_this_cpu;
    bool irq_on = host_irq_on;
    assert_true(idle_leaves(2));
    host_this_cpu = me;
    host_irq_on = irq_on;
}

/* The command must not notice when core 2 leaves, whenever that is. Returns whether the command was over before. */
static bool command_while_core_2_leaves(const char *command, unsigned at)
{
    dynamic_boot(3);
    assert_int_equal(load(put_image(), 0), 0);
    host_run(host_now + 1000000);
    assert_int_equal(core_leave(2), 0);
    leaves_at = at;
    host_elsewhere = leave_meanwhile;
    assert_int_equal(type_line(command), 0);
    bool over = host_elsewhere;
    host_elsewhere = NULL;
    assert_true(over || !core_present(2));
    if (system_table)
        assert_int_equal(unload(), 0);
    return over;
}

static void a_core_may_leave_at_any_step_of(const char *command)
{
    unsigned at = 0;
    while (!command_while_core_2_leaves(command, at))
        at++;
    assert_true(at > 10);
}
static void the_list_of_cores_needs_no_core_to_stay(void **state) { a_core_may_leave_at_any_step_of("cpus"); }
static void a_system_ends_without_cores_that_it_does_not_use(void **state)
{
    a_core_may_leave_at_any_step_of("destroy");
}

/* core_leave() reads the table under the lock of the cores, on a CPU of a Linux above at any time. */
static const void *lock_of_cores, *last_with_a_system;
static void note_lock(const void *l)
{
    lock_of_cores = l;
    if (system_table)
        last_with_a_system = l;
}
static void a_system_s_table_goes_away_under_the_lock_of_its_readers(void **state)
{
    assert_int_equal(load(put_image(), 0), 0);
    host_at_lock = note_lock;
    assert_int_equal(core_leave(7), -ENODEV);
    const void *readers = lock_of_cores;
    assert_int_equal(unload(), 0);
    host_at_lock = NULL;
    assert_ptr_equal(last_with_a_system, readers);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(cores_leave_when_nobody_needs_them),
        T(core_0_ends_its_threads_and_begins_afresh),
        T(the_numbers_of_cores_have_no_holes_for_long),
        T(a_core_leaves_without_timers),
        T(the_list_of_cores_needs_no_core_to_stay),
        T(a_system_s_table_goes_away_under_the_lock_of_its_readers),
        T(a_system_ends_without_cores_that_it_does_not_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
