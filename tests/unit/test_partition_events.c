/* SPDX-License-Identifier: MIT */
/* What follows an event or an order, how a run ends, and which tables are refused. */
#include "partition_shortest.h"

static void an_overrun_of_a_promise_is_an_event(void **state)
{
    table->vms[0].action[PT_ON_OVERRUN] = PT_STOP;
    boot(true);
    pass(6 * MS);
    vm_of(0)->part.promised = true;
    partition_yield(vm_of(0));
    pass(6 * MS);
    assert_int_equal(running(), 0); /* it kept it */
    pass(2 * MS);
    assert_int_equal(vm_of(0)->state, VM_STOPPED);
    pass(4 * MS);
    assert_int_equal(running(), -1); /* its window stays its own */
    assert_int_equal(vm_of(0)->part.events[1].event, PT_ON_OVERRUN);
}

static void a_fault_restarts_as_often_as_the_table_says(void **state)
{
    table->vms[0].action[PT_ON_FAULT] = PT_RESTART;
    table->vms[0].restarts = 1;
    boot(true);
    MEMORY[0x800] = 1;
    u32 before = opened[0];
    partition_event(vm_of(0), PT_ON_FAULT, 1, 2);
    assert_int_equal(running(), -1); /* being loaded */
    assert_int_equal(opened[0], before);
    pass(MS);
    assert_int_equal(opened[0], before + 1);
    assert_int_equal(running(), 0);
    assert_int_equal(MEMORY[0], 0);
    assert_int_equal(MEMORY[0x10], 0x55);
    assert_int_equal(MEMORY[0xfff], 0);
    assert_int_equal(MEMORY[0x1000], 0xee); /* the neighbour's */
    assert_int_equal(vm_of(0)->runs, 2);
    partition_event(vm_of(0), PT_ON_FAULT, 1, 2);
    assert_int_equal(vm_of(0)->state, VM_STOPPED);
    assert_int_equal(vm_of(0)->part.n_events, 4); /* start, fault, start, fault */
}

static void of_many_events_one_a_window_is_told(void **state)
{
    table->vms[0].action[PT_ON_RESET] = PT_IGNORE;
    boot(true);
    reports = 0;
    for (u32 n = 0; n < 100; n++)
        partition_event(vm_of(0), PT_ON_RESET, n, 0);
    assert_int_equal(reports, 1);
    assert_int_equal(vm_of(0)->part.n_events, 101); /* the log has all: its start, too */
    pass(8 * MS);                                   /* a frame */
    partition_event(vm_of(0), PT_ON_RESET, 0, 0);
    assert_int_equal(reports, 2);
}

static void loading_takes_the_vms_own_time(void **state)
{
    boot(false);
    assert_int_equal(running(), -1);
    pass(100);
    assert_int_equal(running(), -1);
    pass(1000);
    assert_int_equal(running(), 0);
    assert_int_equal(MEMORY[0], 0xee); /* first life: memory is what the board gave */
    assert_int_equal(MEMORY[0x10 + 2047], 0x55);
    assert_int_equal(vm_of(1)->part.load, LOAD_COPY);
    assert_int_equal(core_times[0].late_max, 0);
}

static void an_event_can_change_the_plan_at_the_end_of_the_frame(void **state)
{
    table->vms[1].action[PT_ON_FAULT] = PT_PLAN;
    boot(true);
    pass(2 * MS);
    partition_event(vm_of(1), PT_ON_FAULT, 0, 0);
    assert_int_equal(vm_of(1)->state, VM_STOPPED);
    assert_int_equal(slot_plan, 0);
    pass(4 * MS);
    assert_int_equal(slot_plan, 1);
    assert_int_equal(running(), 0);
    pass(2 * MS);
    assert_int_equal(running(), 0);
}

static void the_run_ends_with_the_last_that_has_power(void **state)
{
    table->vms[0].flags |= PT_POWER_BOARD;
    table->vms[2].flags |= PT_POWER_BOARD;
    boot(true);
    vm_stop(vm_of(1));
    vm_stop(vm_of(0));
    assert_false(board_over);
    pass(3 * MS);
    sleeps(4);
    assert_int_equal(running(), 2);
    if (!setjmp(after_the_end))
        vm_stop(vm_of(2));
    assert_true(board_over);
}

static void a_monitors_orders_are_taken_at_the_next_tick(void **state)
{
    core_count = 2;
    boot(true);
    order(0, 0);
    pass(MS);
    assert_int_equal(vm_of(0)->state, VM_STOPPED);
    order(0, ORDER_START);
    pass(MS / 2);
    order(3, 0); /* waits in the pool: when it has its turn */
    pass(6 * MS);
    assert_int_equal(vm_of(0)->runs, 2);
}

static void with_the_lock_lost_a_core_keeps_its_vm(void **state)
{
    boot(true);
    pass(3 * MS);
    assert_int_equal(running(), 4);
    pool_lost = true;
    for (unsigned frame = 0; frame < 3; frame++) {
        pass(3 * MS);
        assert_int_equal(running(), 0);
        pass(3 * MS);
        assert_int_equal(running(), 4);
    }
    sleeps(4);
    assert_int_equal(running(), -1);
}

static void wrong_tables_are_refused(void **state)
{
    assert_int_equal(table_check(), 0);
    table->image[0] ^= 1; /* not part of the table */
    assert_int_equal(table_check(), 0);
    table->vms[0].entry ^= 4;
    assert_int_equal(table_check(), 2);
    setup(NULL);
    table->h.version++;
    assert_int_equal(table_check(), 1);
#define REFUSED(change, why)                                                                                           \
    do {                                                                                                               \
        setup(NULL);                                                                                                   \
        change;                                                                                                        \
        seal();                                                                                                        \
        assert_int_equal(table_check(), why);                                                                          \
    } while (0)
    REFUSED(table->h.n_vms = PT_VMS + 1, 3);
    REFUSED(table->h.n_cores = 0, 3);
    REFUSED(table->h.n_cores = PT_CORES + 1, 3);
    REFUSED(table->h.n_plans = 0, 3);
    REFUSED(table->h.off_windows = table->h.table_size - 8, 3);
    REFUSED(table->h.off_vms += 2, 3);
    REFUSED(table->vms[1].base = 0x00010000, 0x101);
    REFUSED(table->vms[1].size = 0x40000000, 0x101);
    REFUSED(table->vms[2].prio = 8, 0x102);
    REFUSED(table->vms[2].cores = 0, 0x102);
    REFUSED(table->vms[2].plan = 2, 0x102);
    REFUSED(table->vms[3].n_segments = 2, 0x103);
    REFUSED(table->vms[3].n_patches = 0x20000001, 0x103);
    REFUSED(table->segments[0].gpa = 0x804, 0x100);
    REFUSED(table->segments[0].gpa = 0xfffffff0, 0x100);
    REFUSED(table->segments[0].src += 4, 0x100);
    REFUSED(table->segments[0].filesz = 3, 0x100);
    REFUSED(table->frames[1].n_windows = 2, 0x201);
    REFUSED(table->frames[0].n_windows = 0, 0x200);
    REFUSED(table->windows[0].vm = 5, 0x200);
    REFUSED(table->windows[0].vm = 2, 0x200); /* of the pool */
    REFUSED(table->vms[1].cores = 3, 0x200);
    REFUSED(table->windows[3].ticks = PT_WINDOW_MIN - 1, 0x201);
    REFUSED(table->windows[3].ticks = PT_WINDOW_MIN, 0);
    REFUSED(table->windows[3].ticks = PT_WINDOW_MAX + 1, 0x201);
    REFUSED(table->windows[0].ticks = table->windows[2].ticks = PT_WINDOW_MAX / 2 + 1, 0x200);
    REFUSED(table->windows[2].ticks = PT_WINDOW_MAX - 3 * MS + 1, 0x200); /* of all windows together */
    REFUSED(table->tunnels[0].ends[1] = 5, 0x300);
    REFUSED(table->tunnels[0].base = 0x00100000, 0x300); /* the kernel's */
    REFUSED(table->tunnels[0].size = 0x40000000, 0x300);
    REFUSED(table->tunnels[0].size = 0x800, 0x300);
}

static void the_more_cores_the_longer_the_shortest_window(void **state) { shortest_is(PT_WINDOW_MIN, PT_WINDOW_MIN_8); }

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(an_overrun_of_a_promise_is_an_event),
        T(a_fault_restarts_as_often_as_the_table_says),
        T(of_many_events_one_a_window_is_told),
        T(loading_takes_the_vms_own_time),
        T(an_event_can_change_the_plan_at_the_end_of_the_frame),
        T(the_run_ends_with_the_last_that_has_power),
        T(a_monitors_orders_are_taken_at_the_next_tick),
        T(wrong_tables_are_refused),
        T(the_more_cores_the_longer_the_shortest_window),
        T(with_the_lock_lost_a_core_keeps_its_vm),
    };
    leave(cmocka_run_group_tests(tests, map_memory, NULL));
}
