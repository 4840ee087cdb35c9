/* SPDX-License-Identifier: MIT */
/*
 * Orders of monitors beside the resets of a VM's own watchdog, with the guests' real timers: neither is taken for the
 * other, and no watchdog starts a VM that has stopped. And what a monitor reads of the log, however long that is. VM 1
 * is the monitor, VM 0 (2 ms of 6 ms) is its object.
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

static void a_stop_of_a_stopped_vm_does_nothing_and_its_next_life_knows_nothing_of_it(void **state)
{
    begin(PT_RESTART);
    pass(2 * MS + MS / 2);
    monitor(API_VM_CONTROL_STOP);
    pass(FRAME);
    assert_int_equal(hostile->state, VM_STOPPED);
    u32 events = hostile->part.n_events;
    monitor(API_VM_CONTROL_STOP);
    pass(2 * FRAME);
    assert_int_equal(hostile->part.n_events, events);
    assert_int_equal(hostile->part.taken, hostile->part.order);
    monitor(API_VM_CONTROL_START);
    pass(5 * FRAME);
    assert_int_equal(hostile->runs, 2);
    assert_int_not_equal(hostile->state, VM_STOPPED);
}

/* Of the same number each: the life in which an event was is in the log. */
static void an_order_is_for_the_life_that_is_there_when_it_is_followed(void **state)
{
    table->vms[0].action[PT_ON_FAULT] = PT_RESTART;
    begin(PT_RESTART);
    pass(2 * MS + MS / 2);
    monitor(API_VM_CONTROL_STOP);
    partition_event(hostile, PT_ON_FAULT, 1, 2); /* it begins again by itself before its core has looked */
    assert_int_equal(hostile->runs, 2);
    pass(FRAME);
    assert_int_equal(hostile->state, VM_STOPPED);
    const struct partition_event *e = &hostile->part.events[(hostile->part.n_events - 1) % VM_EVENTS];
    assert_int_equal(e->event, EVENT_ORDER);
    assert_int_equal(e->run, 2);
}

/* Returns how many of the last `n` events a monitor reads, and checks that each is the right one. */
static u32 events_read(u32 n)
{
    struct partition_event *copy = (void *)(MEMORY + 0x1800); /* of VM 1 */
    u32 count = (u32)api_vm_info(vm_of(1), 0, API_VM_INFO_EVENTS, 0), read = 0;
    for (u32 age = 0; age < n; age++) {
        if (api_event_read(vm_of(1), 0, (count - 1 - age) & 0x7fffffff, 0x800) < 0)
            continue;
        assert_int_equal(copy->code, hostile->part.events[(hostile->part.n_events - 1 - age) % VM_EVENTS].code);
        read++;
    }
    return read;
}

/* The count passes 2^31, which a monitor does not see, and 2^32. */
static void a_monitor_reads_the_last_events_however_many_there_were(void **state)
{
    static const u32 counts[] = { 0x7ffffff0, 0xfffffff0 };
    begin(PT_RESTART);
    for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
        hostile->part.n_events = counts[i];
        for (u32 n = 0; n < 40; n++) {
            event_log(hostile, PT_ON_FAULT, PT_IGNORE, n, 0);
            if (n < VM_EVENTS)
                continue;
            assert_int_equal(events_read(VM_EVENTS + 2), VM_EVENTS);
        }
    }
}

static void events_that_never_were_are_not_read(void **state)
{
    begin(PT_RESTART);
    event_log(hostile, PT_ON_FAULT, PT_IGNORE, 1, 0);
    assert_int_equal(hostile->part.n_events, 2); /* its start, too */
    assert_int_equal(events_read(VM_EVENTS + 2), 2);
}

/* Each of the 2^32 runs takes some windows; the next one must not look like the first, whose memory is zero already. */
static void a_restart_clears_memory_however_often_it_was(void **state)
{
    table->vms[0].action[PT_ON_FAULT] = PT_RESTART;
    begin(PT_RESTART);
    for (u32 n = 0; n < 2; n++) {
        hostile->runs = 0xfffffffe + n;
        MEMORY[0x900] = 1;
        partition_event(hostile, PT_ON_FAULT, 1, 2);
        pass(2 * FRAME);
        assert_int_equal(MEMORY[0x900], 0);
    }
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
        T(a_stop_of_a_stopped_vm_does_nothing_and_its_next_life_knows_nothing_of_it),
        T(an_order_is_for_the_life_that_is_there_when_it_is_followed),
        T(a_monitor_reads_the_last_events_however_many_there_were),
        T(events_that_never_were_are_not_read),
        T(a_restart_clears_memory_however_often_it_was),
    };
    leave(cmocka_run_group_tests(tests, map_memory, NULL));
}
