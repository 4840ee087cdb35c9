/* SPDX-License-Identifier: MIT */
/*
 * Orders of monitors beside the resets of a VM's own watchdog, with the guests' real timers: neither is taken for the
 * other, and no watchdog starts a VM that has stopped. VM 1 is the monitor, VM 0 (2 ms of 6 ms) is its object.
 */
#define REAL_TIMERS
#include "partition_test.h"
#include <generated/api_calls.h>

#define SHORTEST 0x10000000u /* TCR[WRC]: reset the core, by the shortest period: 2^17 ticks, 0.4 ms */
#define FRAME    (6 * MS)

static struct vm *hostile;

/* VM 0 does `action` when its watchdog bites, and restarts without limit. */
static void begin(enum pt_action action)
{
    table->vms[0].action[PT_ON_RESET] = (u8)action;
    table->vms[0].restarts = 255;
    table->vms[1].flags |= PT_HEALTH_MONITOR;
    seal();
    boot(true);
    hostile = vm_of(0);
    for (u32 i = 0; i < 5; i++)
        vm_of(i)->timers.seen = now;
}

static void monitor(enum api_vm_control_action action) { assert_int_equal(api_vm_control(vm_of(1), 0, action, 0), 0); }

/* The hostile VM is loaded, and has armed its watchdog. */
static void armed(void)
{
    hostile->part.load = LOAD_DONE;
    hostile->timers.tcr = SHORTEST;
}

/* Count the STOP orders that have not stopped the VM by the begin of its next window, out of 200. */
static u32 lost_stops(void)
{
    u32 lost = 0;
    for (u32 i = 0; i < 200; i++) {
        armed();
        pass(2 * MS + MS / 2); /* the monitor's window */
        monitor(API_VM_CONTROL_STOP);
        pass(FRAME - (2 * MS + MS / 2) + MS / 4);
        lost += hostile->state != VM_STOPPED;
        monitor(API_VM_CONTROL_START);
        pass(FRAME - MS / 4);
        assert_int_not_equal(hostile->state, VM_STOPPED);
    }
    return lost;
}

static void a_watchdog_that_is_ignored_does_not_evade_a_stop(void **state)
{
    begin(PT_IGNORE);
    assert_int_equal(lost_stops(), 0);
}

static void a_watchdog_that_restarts_does_not_evade_a_stop(void **state)
{
    begin(PT_RESTART);
    assert_int_equal(lost_stops(), 0);
}

static void a_watchdog_without_an_order_is_a_reset(void **state)
{
    begin(PT_RESTART);
    armed();
    now += 4 * (1u << 17);
    guest_timers_run(hostile, now); /* as alarm_passed() does for who runs */
    partition_alarm(now);
    assert_int_equal(hostile->runs, 2);
    assert_int_equal(hostile->part.events[1].event, PT_ON_RESET);
}

/* A peer's ring or a key on the console comes for who has stopped. */
static void a_stopped_vm_stays_stopped_whoever_knocks(void **state)
{
    table->vms[0].action[PT_ON_FAULT] = PT_STOP;
    begin(PT_RESTART);
    armed();
    partition_event(hostile, PT_ON_FAULT, 1, 2);
    pass(10 * FRAME);
    partition_knock(hostile);
    pass(2 * FRAME);
    assert_int_equal(hostile->state, VM_STOPPED);
    assert_int_equal(hostile->runs, 1);
}

/* Its watchdog has bitten, and before the order was followed it ended by a fault. */
static void a_bite_does_not_outlive_its_run(void **state)
{
    table->vms[0].action[PT_ON_FAULT] = PT_STOP;
    begin(PT_RESTART);
    armed();
    guest_timers_run(hostile, now + 4 * (1u << 17));
    partition_event(hostile, PT_ON_FAULT, 1, 2);
    pass(2 * FRAME);
    assert_int_equal(hostile->state, VM_STOPPED);
    assert_int_equal(hostile->runs, 1);
}

/* Loading takes some windows; the watchdog of the run before is not heard meanwhile. */
static void who_is_loaded_again_has_no_timers(void **state)
{
    table->vms[0].action[PT_ON_FAULT] = PT_RESTART;
    begin(PT_RESTART);
    armed();
    partition_event(hostile, PT_ON_FAULT, 1, 2);
    assert_int_equal(hostile->runs, 2);
    now += 4 * (1u << 17); /* a long time for a step */
    partition_knock(hostile);
    partition_alarm(now);
    pass(FRAME);
    assert_int_equal(hostile->runs, 2);
}

static void the_last_of_several_orders_counts(void **state)
{
    begin(PT_RESTART);
    pass(2 * MS + MS / 2);
    monitor(API_VM_CONTROL_STOP);
    monitor(API_VM_CONTROL_START);
    pass(FRAME);
    assert_int_equal(hostile->runs, 2);
    monitor(API_VM_CONTROL_START);
    monitor(API_VM_CONTROL_STOP);
    pass(FRAME);
    assert_int_equal(hostile->state, VM_STOPPED);
    assert_int_equal(hostile->runs, 2);
}

static void an_order_is_followed_once(void **state)
{
    begin(PT_RESTART);
    pass(2 * MS + MS / 2);
    monitor(API_VM_CONTROL_START);
    pass(5 * FRAME);
    assert_int_equal(hostile->runs, 2);
    monitor(API_VM_CONTROL_START);
    pass(5 * FRAME);
    assert_int_equal(hostile->runs, 3);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_watchdog_that_is_ignored_does_not_evade_a_stop),
        T(a_watchdog_that_restarts_does_not_evade_a_stop),
        T(a_watchdog_without_an_order_is_a_reset),
        T(a_stopped_vm_stays_stopped_whoever_knocks),
        T(a_bite_does_not_outlive_its_run),
        T(who_is_loaded_again_has_no_timers),
        T(the_last_of_several_orders_counts),
        T(an_order_is_followed_once),
    };
    leave(cmocka_run_group_tests(tests, map_memory, NULL));
}
