/* SPDX-License-Identifier: MIT */
/*
 * sched.c - who has this core: at the end of a turn (core/policy.h), when a VM gives the core away or ends, and at
 * ticks, when the core looks at what others want of it, for there is no interrupt between cores.
 *
 * `holder` is the VM that has the core, RUNNING: it is current, or it is being loaded, in steps, while the
 * core is otherwise idle. A turn that belongs to a VM is never given to another one (temporal separation), be its
 * owner idle, done or stopped; the pool's turns go to the most urgent.
 */
#include <core/policy.h>
#include <core/ready.h>
#include <core/sched_vm.h>
#include <core/shared.h>
#include <arch/devices.h>
#include <wcet.h>

#define TICK 333333u /* 1 ms at 333 MHz: how long a request of another core waits at most */

static struct vm *holder;
static struct vm
    *kept; /* with the lock of the pool lost: the VM of the pool that this core had; the pool's turns are its own */
static struct vm *sleeper; /* who went to sleep here last */
static bool rested;        /* the owner of the turn gave the rest of it away */
static u32 since;          /* when holder got the core */

/* The fence here and the one in look(): either the owner sees what was left, or it sees the knock once more. */
void vm_knock(struct vm *vm)
{
    mp_fence();
    WRITE_ONCE(vm->part.knock, 1);
}

static __attribute__((noinline)) void answer(struct vm *vm, u32 now)
{
    WRITE_ONCE(vm->part.knock, 0);
    mp_fence();
    timers_run(vm, now);
    uart_poll(vm);
    tunnel_requests(vm);
}

static inline __attribute__((always_inline)) void look(struct vm *vm, u32 now)
{
    if (unlikely(READ_ONCE(vm->part.knock)))
        answer(vm, now);
}

static struct vm *let_go(u32 now)
{
    struct vm *vm = holder;
    if (vm)
        vm->used += now - since;
    holder = NULL;
    return vm;
}

static void hold(struct vm *vm, u32 now)
{
    since = now;
    holder = vm;
    if (vm) {
        vm->state = VM_RUNNING;
        vm->core = core.id;
        look(vm, now);
        if (vm->part.load != LOAD_DONE)
            vm = NULL;
    }
    if (vm != core.current)
        hal_switch(vm);
}

/* Nobody holds the core; `out` did, and goes where its state says. */
static __attribute__((noinline)) void decide(struct vm *out, bool yields, u32 now)
{
    struct vm *next = NULL;

    if (out && !policy_pooled(out->conf))
        out = NULL;
    if (out || !turn.owner)
        next = pool_exchange(out, turn.owner ? 0 : PRIORITIES, yields);
    if (unlikely(pool_lost) && out)
        kept = out;
    if (!turn.owner)
        turn.owner = kept;
    if (turn.owner)
        next = turn.owner->state == VM_READY && !rested ? turn.owner : NULL;
    hold(next, now);
}

/* The VM of this turn, or the holder: what others want of it, and whether there is an end to its sleep. */
static __attribute__((noinline)) void attend(struct vm *vm, u32 now)
{
    look(vm, now);
    if (vm->state == VM_IDLE) {
        timers_run(vm, now);
        vm->part.wake_due = now + timers_left(vm, now);
        if (vm->pending)
            vm->state = VM_READY;
    }
    if (unlikely(vm->part.order))
        vm_order(vm);
}

/* The end of a turn. */
static void edge(u32 now)
{
    struct core_record *record = &shared.cores[core.id];
    u32 due = turn.end;
    struct vm *out = let_go(now);

    if (out) {
        out->state = VM_READY;
        if (out == turn.owner)
            vm_overrun(out, due);
    }
    rested = false;
    policy_next(now);
    if (turn.owner)
        attend(turn.owner, now);
    decide(out, false, now);
    record->windows++;
    record->late = hal_now() - due;
    if (record->late > record->late_max)
        record->late_max = record->late;
}

/* In the middle of a turn. */
static void tick(u32 now)
{
    struct vm *vm = holder ? holder : turn.owner;

    if (vm)
        attend(vm, now);
    if (turn.owner) {
        if (!holder)
            decide(NULL, false, now);
        return;
    }
    pool_wake(now);
    if (pool_wants(holder ? holder->part.prio : PRIORITIES)) {
        vm = let_go(now);
        if (vm)
            vm->state = VM_READY;
        decide(vm, false, now);
    }
}

static u32 sooner(u32 a, u32 b) { return time_after_eq(a, b) ? b : a; }

/* When this core has to look again. */
static void arm(u32 now)
{
    u32 due = turn.end;
    struct vm *waits = turn.owner ? turn.owner : sleeper;

    if (holder && (holder != core.current || holder->part.order)) {
        due = now;
    } else {
        if (!holder && waits && waits->state == VM_IDLE)
            due = sooner(due, waits->part.wake_due);
        if (core_count > 1 || (shared.ready.map[ASLEEP] & pool_mine))
            due = sooner(due, now + TICK);
    }
    core.window_due = due;
    hal_alarm_update();
}

void sched_alarm(u32 now)
{
    if (unlikely(READ_ONCE(shared.over)))
        hal_board_reset();
    if (time_after_eq(now, turn.end))
        edge(now);
    else if (holder && holder != core.current) {
        if (load_step(holder))
            hold(holder, now);
    } else
        tick(now);
    arm(now);
}

void sched_yield(struct vm *vm, bool wait)
{
    u32 now = hal_now();
    bool own = vm == turn.owner;

    if (!wait && !own && !pool_wants(PRIORITIES))
        return;
    vm->state = wait ? VM_IDLE : VM_READY;
    if (wait) {
        vm->part.wake_due = now + timers_left(vm, now);
        sleeper = vm;
    }
    rested = own && !wait;
    decide(let_go(now), true, now);
    arm(now);
}

void sched_wake(struct vm *vm)
{
    if (vm->state != VM_IDLE)
        return;
    if (vm == turn.owner || !policy_pooled(vm->conf))
        vm->state = VM_READY;
    else
        vm_knock(vm);
    if (!holder) { /* nothing else to do: at once instead of at the next tick */
        core.window_due = hal_now();
        hal_alarm_update();
    }
}

void sched_stopped(struct vm *vm, u32 now)
{
    if (vm == holder) {
        vm = let_go(now);
        decide(vm, false, now);
        arm(now);
    }
}

void sched_first(u32 start)
{
    policy_init(start);
    if (turn.owner)
        attend(turn.owner, start);
    decide(NULL, false, start);
    arm(start);
}
