/* SPDX-License-Identifier: MIT */
/* The partition core's promises: who runs when, what follows an event, what is refused. One core; time moves by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <arch/devices.h>
#include <arch/regs.h>
#include <core/policy.h>
#include <core/ready.h>
#include <core/sched_vm.h>
#include <core/shared.h>
#include <core/table.h>
#include "../../kernel/core/partition/sched.c" /* a core's own state begins anew in each test */

#define MS     333333u
#define MEMORY ((u8 *)(uintptr_t)PT_VM_MEMORY)

struct core core;
struct shared shared;
struct core_times core_times[PT_CORES];
struct vm_record vm_records[PT_VMS];
u32 core_count;
static u32 now;
static u32 alarm_of[PT_VMS]; /* a VM's own timer; 0: none */
static bool board_over;
static jmp_buf after_the_end;

u32 time_base(void) { return now; }
void hal_alarm_update(void) {}
void hal_switch(struct vm *next) { core.current = next; }
void hal_report(const char *what, u32 a, u32 b) {}
u32 hal_look_ticks(void) { return TICK; }
static u32 rung; /* which core's bell, plus 1 */
void hal_doorbell(u32 id) { rung = id + 1; }
void hal_board_reset(void) /* does not return */
{
    board_over = true;
    longjmp(after_the_end, 1);
}
void vm_context_clear(struct vm *vm) {}
void vm_context_reset(struct vm *vm) { vm->ctx.pc = vm->conf->entry; }
void code_written(void *p, u32 size) {}
static u32 opened[PT_VMS]; /* how often a VM got its open tunnels */
void tunnels_open(struct vm *vm) { opened[vm->id]++; }
void tunnel_requests(struct vm *vm) {}
void uart_poll(struct vm *vm) {}
u32 timers_left(const struct vm *vm, u32 t)
{
    u32 due = alarm_of[vm->id];
    if (!due)
        return TIMERS_FAR;
    return time_after_eq(t, due) ? 0 : due - t;
}
void timers_run(struct vm *vm, u32 t)
{
    if (alarm_of[vm->id] && time_after_eq(t, alarm_of[vm->id])) {
        alarm_of[vm->id] = 0;
        vm->pending = VMP_PIT;
    }
}

/* --- a table: VMs 0, 1 bound to core 0 with windows; 2, 3, 4 in the pool, 4 the most urgent --- */
static struct {
    struct pt_header h;
    struct pt_vm vms[5];
    struct pt_frame frames[2];
    struct pt_window windows[4];
    struct pt_segment segments[1];
    struct pt_tunnel tunnels[1];
    u8 image[2048];
} *table = (void *)PT_ADDRESS;

static u32 crc(const u8 *p, u32 n)
{
    u32 c = ~0u;
    for (u32 i = 0; i < n; i++) {
        c ^= p[i];
        for (u32 bit = 0; bit < 8; bit++)
            c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

static void seal(void)
{
    table->h.crc32 = 0;
    table->h.crc32 = crc((const u8 *)table, table->h.table_size);
}

static int setup(void **state)
{
    memset(table, 0, sizeof(*table));
    memset(&shared, 0, sizeof(shared));
    memset(core_times, 0, sizeof(core_times));
    memset(vm_records, 0, sizeof(vm_records));
    memset(MEMORY, 0xee, 0x5000);
    memset(alarm_of, 0, sizeof(alarm_of));
    core = (struct core){ 0 };
    turn = (struct turn){ 0 };
    holder = kept = sleeper = NULL;
    rested = false;
    pool_lost = false;
    pool_word = shared.lock.word;
    pool_mine = 0;
    board_over = false;
    now = 0xffff0000u; /* the counter wraps soon */
    core_count = 1;
    table->h = (struct pt_header){ .magic = PT_MAGIC,
                                   .version = PT_VERSION,
                                   .header_size = sizeof(struct pt_header),
                                   .table_size = offsetof(typeof(*table), image),
                                   .image_size = sizeof(*table),
                                   .n_vms = 5,
                                   .n_cores = 1,
                                   .n_plans = 2,
                                   .n_windows = 4,
                                   .n_segments = 1,
                                   .n_tunnels = 1,
                                   .off_vms = offsetof(typeof(*table), vms),
                                   .off_frames = offsetof(typeof(*table), frames),
                                   .off_windows = offsetof(typeof(*table), windows),
                                   .off_segments = offsetof(typeof(*table), segments),
                                   .off_tunnels = offsetof(typeof(*table), tunnels) };
    for (u32 i = 0; i < 5; i++)
        table->vms[i] = (struct pt_vm){ .base = PT_VM_MEMORY + i * 0x1000,
                                        .size = 0x1000,
                                        .entry = 0x100,
                                        .cores = 1,
                                        .flags = PT_AUTOSTART | (i >= 2 ? PT_BACKGROUND : 0),
                                        .prio = i == 4 ? 1 : 3,
                                        .n_segments = 1,
                                        .plan = 1 };
    table->segments[0] = (struct pt_segment){ offsetof(typeof(*table), image), 0x10, sizeof(table->image) };
    table->tunnels[0] = (struct pt_tunnel){ .base = PT_VM_MEMORY + 0x5000, .size = 0x1000, .ends = { 0, 4 } };
    memset(table->image, 0x55, sizeof(table->image));
    /* plan 0: VM 0 for 2 ms, VM 1 for 1 ms, the pool for 3 ms; plan 1: VM 0 alone */
    table->frames[0] = (struct pt_frame){ 0, 3 };
    table->frames[1] = (struct pt_frame){ 3, 1 };
    table->windows[0] = (struct pt_window){ .vm = 0, .ticks = 2 * MS };
    table->windows[1] = (struct pt_window){ .vm = 1, .ticks = MS };
    table->windows[2] = (struct pt_window){ .vm = PT_ANY, .ticks = 3 * MS };
    table->windows[3] = (struct pt_window){ .vm = 0, .ticks = 2 * MS };
    seal();
    return 0;
}

/* What start.c does, with everything loaded unless a test looks at the loading. */
static void boot(bool loaded)
{
    for (u32 i = 0; i < 5; i++) {
        struct vm *vm = vm_of(i);
        vm->id = (u8)i;
        vm->conf = &table->vms[i];
        vm->base = vm->conf->base;
        vm->size = vm->conf->size;
        vm->flags = vm->conf->flags;
        vm->part.restarts_left = vm->conf->restarts;
        vm_start(vm);
        if (loaded)
            vm->part.load = LOAD_DONE;
        if (i >= 2) {
            pool_add(vm);
            pool_mine |= vm_bit(i);
        }
    }
    sched_first(now);
}

/* Until `t` ticks from now, as the hardware's alarm would. */
static void pass(u32 t)
{
    u32 end = now + t;
    for (unsigned n = 0; time_after_eq(end, core.window_due); n++) {
        assert_true(n < 100000);
        if (!time_after_eq(now, core.window_due))
            now = core.window_due;
        sched_alarm(now);
        if (core.window_due == now)
            now += 100; /* a step of loading */
    }
    if (!time_after_eq(now, end))
        now = end;
}

static int running(void) { return core.current ? core.current->id : -1; }

static void windows_follow_the_frame(void **state)
{
    boot(true);
    for (unsigned frame = 0; frame < 5; frame++) {
        assert_int_equal(running(), 0);
        pass(2 * MS);
        assert_int_equal(running(), 1);
        pass(MS);
        assert_int_equal(running(), 4); /* the most urgent of the pool */
        pass(3 * MS);
    }
    assert_int_equal(core_times[0].windows, 15);
    assert_int_equal(core_times[0].late_max, 0);
}

static void a_late_edge_is_recorded_and_does_not_add_up(void **state)
{
    boot(true);
    now += 2 * MS + 777;
    sched_alarm(now);
    assert_int_equal(running(), 1);
    assert_int_equal(core_times[0].late_max, 777);
    pass(MS - 777);
    assert_int_equal(running(), 4);
    assert_int_equal(core_times[0].late, 0);
}

/* The host took the core away for longer than a window, and who owns that one sleeps without a timer. */
static void an_edge_that_comes_after_the_next_one_was_due_is_followed_at_once(void **state)
{
    boot(true);
    pass(2 * MS);
    sched_yield(vm_of(1), true);
    pass(4 * MS);
    assert_int_equal(running(), 0);
    now += 3 * MS + 50;
    sched_alarm(now);
    assert_true(time_after_eq(now, core.window_due));
    sched_alarm(now);
    assert_int_equal(running(), 4);
    assert_int_equal(core_times[0].late, 50);
}

static void an_idle_owner_keeps_its_window_and_wakes_in_it(void **state)
{
    boot(true);
    alarm_of[0] = now + MS;
    sched_yield(vm_of(0), true);
    assert_int_equal(running(), -1); /* nobody else gets it */
    pass(MS / 2);
    assert_int_equal(running(), -1);
    pass(MS - MS / 2);
    assert_int_equal(running(), 0);
}

static void who_yields_its_window_is_done_for_it(void **state)
{
    boot(true);
    alarm_of[0] = now + MS / 2;
    sched_yield(vm_of(0), false);
    pass(2 * MS - 1);
    assert_int_equal(running(), -1);
    pass(1);
    assert_int_equal(running(), 1);
    pass(4 * MS);
    assert_int_equal(running(), 0);
}

static void yielding_in_the_pool_goes_to_others_and_idling_frees_the_rest(void **state)
{
    boot(true);
    pass(3 * MS);
    assert_int_equal(running(), 4);
    sched_yield(vm_of(4), false); /* to the less urgent, too */
    assert_int_equal(running(), 2);
    sched_yield(vm_of(2), true);
    assert_int_equal(running(), 4);
    sched_yield(vm_of(4), true);
    assert_int_equal(running(), 3);
    sched_yield(vm_of(3), false); /* nobody else */
    assert_int_equal(running(), 3);
}

static void equals_take_turns(void **state)
{
    boot(true);
    pass(3 * MS);
    sched_yield(vm_of(4), true);
    assert_int_equal(running(), 2);
    pass(6 * MS);
    assert_int_equal(running(), 3);
    pass(6 * MS);
    assert_int_equal(running(), 2);
}

static void the_urgent_one_wakes_by_its_timer_or_a_knock(void **state)
{
    boot(true);
    pass(3 * MS);
    alarm_of[4] = now + 3 * MS / 2;
    sched_yield(vm_of(4), true);
    assert_int_equal(running(), 2);
    pass(3 * MS / 2 + MS); /* a tick late at most */
    assert_int_equal(running(), 4);
    assert_int_equal(vm_of(4)->pending, VMP_PIT); /* or it would sleep again at once */
    sched_yield(vm_of(4), true);
    vm_knock(vm_of(4));
    pass(MS / 2 + 3 * MS);
    assert_int_equal(vm_of(4)->state, VM_IDLE); /* nobody looks outside of the pool's windows */
    pass(MS + 1);
    assert_int_equal(running(), 4);
}

static void a_knock_rings_where_the_vm_ran_last(void **state)
{
    boot(true);
    vm_of(3)->core = 5;
    rung = 0;
    vm_knock(vm_of(3));
    assert_int_equal(vm_of(3)->part.knock, 1);
    assert_int_equal(rung, 5 + 1);
}

/* It sleeps in the pool, and would sleep on when it has been woken. */
static void an_order_reaches_who_sleeps_in_the_pool(void **state)
{
    boot(true);
    pass(3 * MS);
    assert_int_equal(running(), 4);
    sched_yield(vm_of(4), true);
    vm_of(4)->part.order = ORDER_STOP;
    vm_knock(vm_of(4));
    for (unsigned n = 0; n < 20 && vm_of(4)->state != VM_STOPPED; n++) {
        now = core.window_due;
        sched_alarm(now);
        if (running() == 4) /* as vm_exit does at once with who has nothing to do */
            sched_yield(core.current, true);
    }
    assert_int_equal(vm_of(4)->state, VM_STOPPED);
}

static void an_overrun_of_a_promise_is_an_event(void **state)
{
    table->vms[0].action[PT_ON_OVERRUN] = PT_STOP;
    boot(true);
    pass(6 * MS);
    vm_of(0)->part.promised = true;
    sched_yield(vm_of(0), false);
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
    vm_event(vm_of(0), PT_ON_FAULT, 1, 2);
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
    vm_event(vm_of(0), PT_ON_FAULT, 1, 2);
    assert_int_equal(vm_of(0)->state, VM_STOPPED);
    assert_int_equal(vm_of(0)->part.n_events, 4); /* start, fault, start, fault */
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
    vm_event(vm_of(1), PT_ON_FAULT, 0, 0);
    assert_int_equal(vm_of(1)->state, VM_STOPPED);
    assert_int_equal(turn_plan, 0);
    pass(4 * MS);
    assert_int_equal(turn_plan, 1);
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
    sched_yield(vm_of(4), true);
    assert_int_equal(running(), 2);
    if (!setjmp(after_the_end))
        vm_stop(vm_of(2));
    assert_true(board_over);
}

static void a_monitors_orders_are_taken_at_the_next_tick(void **state)
{
    core_count = 2;
    boot(true);
    vm_of(0)->part.order = ORDER_STOP;
    pass(MS);
    assert_int_equal(vm_of(0)->state, VM_STOPPED);
    vm_of(0)->part.order = ORDER_START;
    pass(MS / 2);
    vm_of(3)->part.order = ORDER_STOP; /* waits in the pool: when it has its turn */
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
    sched_yield(vm_of(4), true);
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
    REFUSED(table->windows[3].ticks = PT_WINDOW_MAX + 1, 0x201);
    REFUSED(table->tunnels[0].ends[1] = 5, 0x300);
    REFUSED(table->tunnels[0].base = 0x00100000, 0x300); /* the kernel's */
    REFUSED(table->tunnels[0].size = 0x40000000, 0x300);
    REFUSED(table->tunnels[0].size = 0x800, 0x300);
}

int main(void)
{
    void *fixed = mmap((void *)PT_ADDRESS, 0x10000, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    void *memory =
        mmap(MEMORY, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (fixed == MAP_FAILED || memory == MAP_FAILED)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(windows_follow_the_frame, setup),
        cmocka_unit_test_setup(a_late_edge_is_recorded_and_does_not_add_up, setup),
        cmocka_unit_test_setup(an_edge_that_comes_after_the_next_one_was_due_is_followed_at_once, setup),
        cmocka_unit_test_setup(an_idle_owner_keeps_its_window_and_wakes_in_it, setup),
        cmocka_unit_test_setup(who_yields_its_window_is_done_for_it, setup),
        cmocka_unit_test_setup(yielding_in_the_pool_goes_to_others_and_idling_frees_the_rest, setup),
        cmocka_unit_test_setup(equals_take_turns, setup),
        cmocka_unit_test_setup(the_urgent_one_wakes_by_its_timer_or_a_knock, setup),
        cmocka_unit_test_setup(a_knock_rings_where_the_vm_ran_last, setup),
        cmocka_unit_test_setup(an_order_reaches_who_sleeps_in_the_pool, setup),
        cmocka_unit_test_setup(an_overrun_of_a_promise_is_an_event, setup),
        cmocka_unit_test_setup(a_fault_restarts_as_often_as_the_table_says, setup),
        cmocka_unit_test_setup(loading_takes_the_vms_own_time, setup),
        cmocka_unit_test_setup(an_event_can_change_the_plan_at_the_end_of_the_frame, setup),
        cmocka_unit_test_setup(the_run_ends_with_the_last_that_has_power, setup),
        cmocka_unit_test_setup(a_monitors_orders_are_taken_at_the_next_tick, setup),
        cmocka_unit_test_setup(wrong_tables_are_refused, setup),
        cmocka_unit_test_setup(with_the_lock_lost_a_core_keeps_its_vm, setup),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fflush(stdout);
    _exit(failed); /* without the search for leaks, which trips over memory below the program */
}
