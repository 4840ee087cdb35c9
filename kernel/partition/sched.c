/* SPDX-License-Identifier: MIT */
/*
 * sched.c - who has this core: at the end of a turn (partition/policy.h), when a VM gives the core away or ends, and at
 * ticks, when the core looks at what others want of it, for there is no interrupt between cores.
 *
 * `holder` is the VM that has the core, RUNNING: it is current, or it is *parked*: it is being loaded, has an order to
 * follow, was knocked at, sleeps, or has ended. The core is idle then and its alarm is due at once. Each alarm does one
 * thing, so that no interrupt takes longer than the dearest of these (docs/wcet.md). A turn that belongs to a VM is
 * never given to another one (temporal separation), be its owner idle, done or stopped; the pool's turns go to the most
 * urgent.
 */
#include <partition/guest.h>
#include <partition/policy.h>
#include <partition/ready.h>
#include "vm.h"
#include <partition/shared.h>
#include <wcet.h>

/* Without CONFIG_HEALTH there are no orders but a watchdog's bit, and nobody counts. */
__optional void partition_order(struct vm *vm) { vm_stop(vm); }
__optional void vm_overrun(struct vm *vm, u32 due) {}
__optional void vm_holds(struct vm *vm) {}
__optional void vm_used(struct vm *vm, u32 ticks) {}
__optional void window_begun(u32 due) {}
/* Without CONFIG_IPCM, CONFIG_DOORBELL: a core looks at its ticks. */
__optional void guest_tunnel_requests(struct vm *vm) {}
__optional u32 hal_look_ticks(void) { return TICK; }
__optional void hal_doorbell(u32 id) {}

static struct vm *holder;
static struct vm
    *kept; /* with the lock of the pool lost: the VM of the pool that this core had; the pool's turns are its own */
static struct vm *sleeper; /* who went to sleep here last */
static bool rested;        /* the owner of the turn gave the rest of it away */
static bool soon;          /* somebody of the pool was woken: look at once who is next */
static u32 since;          /* when holder got the core */

/* The fence here and the one in answer(): either the owner sees what was left, or it sees the knock once more. */
void partition_knock(struct vm *vm)
{
    mp_fence();
    WRITE_ONCE(vm->part.knock, 1);
    hal_doorbell(vm->core);
}

static __attribute__((noinline)) void answer(struct vm *vm, u32 now)
{
    WRITE_ONCE(vm->part.knock, 0);
    mp_fence();
    guest_timers_run(vm, now);
    guest_input(vm);
    guest_tunnel_requests(vm);
}

static struct vm *let_go(u32 now)
{
    struct vm *vm = holder;
    if (vm)
        vm_used(vm, now - since);
    holder = NULL;
    return vm;
}

/* The rest is for the next alarm, which is now. */
static void park(void)
{
    hal_switch(NULL);
    core.window_due = hal_now();
    hal_alarm_update();
}

/* `run` false: park it. */
static void hold(struct vm *vm, bool run, u32 now)
{
    since = now;
    holder = vm;
    if (vm) {
        vm->state = VM_RUNNING;
        vm_holds(vm);
        if (!load_done(vm) || vm->part.order || !run) /* an order has woken it, and it would sleep on */
            vm = NULL;
    }
    if (vm != core.current)
        hal_switch(vm);
}

/* Nobody holds the core; `out` did, and goes where its state says. */
static __attribute__((noinline)) void decide(struct vm *out, bool yields, u32 now)
{
    struct vm *next = NULL, *owner = turn.owner;

    if (out && !policy_pooled(out->flags))
        out = NULL;
    if (out || !owner)
        next = pool_exchange(out, !owner, yields);
    if (unlikely(pool_lost)) {
        if (out)
            kept = out;
        if (!owner)
            owner = turn.owner = kept;
    }
    if (owner)
        next = owner->state == VM_READY && !rested ? owner : NULL;
    hold(next, owner || !next || !READ_ONCE(next->part.knock), now); /* who owns the turn was attended to */
}

/* The VM of this turn, or the holder: what others want of it, and whether there is an end to its sleep. */
static __attribute__((noinline)) void attend(struct vm *vm, u32 now)
{
    if (unlikely(READ_ONCE(vm->part.knock)))
        answer(vm, now);
    if (vm->state == VM_IDLE) {
        guest_timers_run(vm, now);
        vm->part.wake_due = now + guest_timers_left(vm, now);
        if (vm->pending)
            vm->state = VM_READY;
    }
}

/* It still wants the core. */
static void interrupted(struct vm *vm)
{
    if (vm && vm->state == VM_RUNNING)
        vm->state = VM_READY;
}

/* The end of a turn. */
static void edge(u32 now)
{
    u32 due = turn.end;
    struct vm *out = let_go(now);

    interrupted(out);
    if (out && out == turn.owner && out->state == VM_READY)
        vm_overrun(out, due);
    rested = false;
    policy_next(now);
    if (turn.owner)
        attend(turn.owner, now);
    decide(out, false, now);
    window_begun(due);
}

/* One thing of the holder's that is not to run. */
static void parked(struct vm *vm, u32 now)
{
    if (vm->state != VM_RUNNING) {
        decide(let_go(now), false, now);
        return;
    }
    if (!load_done(vm))
        load_step(vm);
    else
        answer(vm, now);
    hold(vm, true, now); /* knocks that come meanwhile are for the next tick, or they could keep it parked */
}

static void follow(struct vm *vm)
{
    partition_order(vm);
    soon = true; /* it may have woken */
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
    soon = pool_wake(now);
    if (!soon && pool_wants(holder ? holder->part.prio : PRIORITIES)) {
        vm = let_go(now);
        interrupted(vm);
        decide(vm, false, now);
    }
}

static u32 sooner(u32 a, u32 b) { return time_after_eq(a, b) ? b : a; }

/* When this core has to look again. */
static void arm(u32 now)
{
    u32 due = turn.end;
    struct vm *waits = turn.owner ? turn.owner : sleeper, *vm = holder ? holder : turn.owner;

    if (soon || holder != core.current || (vm && vm->part.order)) {
        due = now;
    } else {
        if (!holder && waits && waits->state == VM_IDLE)
            due = sooner(due, waits->part.wake_due);
        if (shared.ready.map[ASLEEP] & pool_mine)
            due = sooner(due, now + TICK);
        else if (core_count > 1)
            due = sooner(due, now + hal_look_ticks());
    }
    core.window_due = due;
    hal_alarm_update();
}

void partition_alarm(u32 now)
{
    struct vm *vm = holder ? holder : turn.owner;

    if (unlikely(READ_ONCE(shared.over)))
        hal_board_reset();
    soon = false;
    if (time_after_eq(now, turn.end))
        edge(now);
    else if (vm && vm->part.order)
        follow(vm);
    else if (holder != core.current)
        parked(holder, now);
    else
        tick(now);
    arm(now);
}

void partition_yield(struct vm *vm)
{
    u32 now = hal_now();
    bool own = vm == turn.owner;

    if (!own && !pool_wants(PRIORITIES))
        return;
    vm->state = VM_READY;
    rested = own;
    decide(let_go(now), true, now);
    arm(now);
}

void partition_sleep(struct vm *vm)
{
    u32 now = hal_now();

    vm->state = VM_IDLE;
    vm->part.wake_due = now + guest_timers_left(vm, now);
    sleeper = vm;
    if (vm == turn.owner) {
        let_go(now);
        hold(NULL, true, now);
        arm(now);
    } else {
        park();
    }
}

void partition_wake(struct vm *vm)
{
    if (vm->state != VM_IDLE)
        return;
    if (vm == turn.owner || !policy_pooled(vm->flags))
        vm->state = VM_READY;
    else
        partition_knock(vm);
    if (!holder) { /* nothing else to do: at once instead of at the next tick */
        core.window_due = hal_now();
        hal_alarm_update();
    }
}

void sched_stopped(struct vm *vm)
{
    if (vm == holder)
        park();
}

void sched_first(u32 start)
{
    policy_init(start);
    if (turn.owner)
        attend(turn.owner, start);
    decide(NULL, false, start);
    arm(start);
}
