/* SPDX-License-Identifier: MIT */
/*
 * sched.c - decides which VM has this core: at the end of a slot (partition/policy.h), when a VM gives the core away or
 * ends, and at ticks, when the core looks for requests of other cores, because there is no interrupt between cores.
 *
 * `holder` is the VM that has the core, RUNNING. It is current, or it is *parked*: it is being loaded, has an order to
 * follow, was knocked at, sleeps, or has ended. While it is parked the core is idle and its alarm is due at once. Each
 * alarm does one thing, so no interrupt takes longer than the dearest of them (docs/wcet.md). A slot that belongs to a
 * VM is never given to another one (temporal separation), even if its owner is idle, done or stopped. The pool's slots
 * go to its most urgent VM.
 */
#include <partition/guest.h>
#include <partition/policy.h>
#include <partition/ready.h>
#include "vm.h"
#include <partition/shared.h>
#include <wcet.h>

/* Without CONFIG_HEALTH the only order is a watchdog's, and nothing is counted. */
__optional void partition_order(struct vm *vm) { vm_stop(vm); }
__optional void vm_overrun(struct vm *vm, u32 due) {}
__optional void vm_holds(struct vm *vm) {}
__optional void vm_used(struct vm *vm, u32 ticks) {}
__optional void window_begun(u32 due) {}

static struct vm *holder;
static struct vm
    *kept; /* if the pool's lock is lost: the VM of the pool that this core had; it has the pool's slots on this core */
static struct vm *sleeper; /* the VM that went to sleep here last */
static bool rested;        /* the owner of the slot has given the rest of it away */
static bool soon;          /* a VM of the pool was woken: decide again at once */
static u32 since;          /* when holder got the core */

/* The fence here and the one in handle_knock(): either the owner sees the request, or it sees the knock once more. */
void partition_knock(struct vm *vm)
{
    mp_fence();
    WRITE_ONCE(vm->part.knock, 1);
    hal_doorbell(vm->core);
}

static __attribute__((noinline)) void handle_knock(struct vm *vm, u32 now)
{
    WRITE_ONCE(vm->part.knock, 0);
    mp_fence();
    guest_timers_run(vm, now);
    guest_input(vm);
    guest_tunnel_requests(vm);
}

/* Take the core from its holder. The holder is saved here, before choose_next() returns it to the pool. */
static struct vm *release_core(u32 now)
{
    struct vm *vm = holder;
    hal_save();
    if (vm)
        vm_used(vm, now - since);
    holder = NULL;
    return vm;
}

/* Leave the rest to the next alarm, which is due now. */
static void park(void)
{
    hal_save();
    hal_switch(NULL);
    core.window_due = hal_now();
    hal_alarm_update();
}

/* Give the core to `vm` (NULL: idle). `run` false: park it. */
static void give_core(struct vm *vm, bool run, u32 now)
{
    since = now;
    holder = vm;
    if (vm) {
        vm->state = VM_RUNNING;
        vm_holds(vm);
        if (!load_done(vm) || order_waits(vm) || !run) /* with an order it was woken only to follow that */
            vm = NULL;
    }
    if (vm != core.current)
        hal_switch(vm);
}

/* Choose the next holder. There is none now; `out` was the last one and goes where its state says. */
static __attribute__((noinline)) void choose_next(struct vm *out, bool yields, u32 now)
{
    struct vm *next = NULL, *owner = current_slot.owner;

    if (out && !policy_pooled(out->flags))
        out = NULL;
    if (out || !owner)
        next = pool_exchange(out, !owner, yields);
    if (unlikely(pool_lost)) {
        if (out)
            kept = out;
        if (!owner)
            owner = current_slot.owner = kept;
    }
    if (owner)
        next = owner->state == VM_READY && !rested ? owner : NULL;
    give_core(next, owner || !next || !READ_ONCE(next->part.knock),
              now); /* check_vm() has handled the knock of the slot's owner */
}

/* Handle other cores' requests to the slot's owner or the holder, and wake it if it sleeps and something is pending. */
static __attribute__((noinline)) void check_vm(struct vm *vm, u32 now)
{
    if (unlikely(READ_ONCE(vm->part.knock)))
        handle_knock(vm, now);
    if (vm->state == VM_IDLE) {
        guest_timers_run(vm, now);
        vm->part.wake_due = now + guest_timers_left(vm, now);
        if (vm->pending)
            vm->state = VM_READY;
    }
}

/* The VM is interrupted but still wants the core. */
static void make_ready(struct vm *vm)
{
    if (vm && vm->state == VM_RUNNING)
        vm->state = VM_READY;
}

/* End the slot. */
static void end_slot(u32 now)
{
    u32 due = current_slot.end;
    struct vm *out = release_core(now);

    make_ready(out);
    if (out && out == current_slot.owner && out->state == VM_READY)
        vm_overrun(out, due);
    rested = false;
    policy_next(now);
    if (current_slot.owner)
        check_vm(current_slot.owner, now);
    choose_next(out, false, now);
    window_begun(due);
}

/* Do one step for the holder, which is parked. */
static void serve_parked(struct vm *vm, u32 now)
{
    if (vm->state != VM_RUNNING) {
        choose_next(release_core(now), false, now);
        return;
    }
    if (!load_done(vm))
        load_step(vm);
    else
        handle_knock(vm, now);
    give_core(vm, true, now); /* a knock that comes now waits for the next tick, as knocks could keep it parked */
}

static void follow_order(struct vm *vm)
{
    partition_order(vm);
    soon = true; /* the VM may have become ready */
}

/* Look for requests in the middle of a slot. */
static void handle_tick(u32 now)
{
    struct vm *vm = holder ? holder : current_slot.owner;

    if (vm)
        check_vm(vm, now);
    if (current_slot.owner) {
        if (!holder)
            choose_next(NULL, false, now);
        return;
    }
    soon = pool_wake(now);
    if (!soon && pool_wants(holder ? holder->part.prio : PRIORITIES)) {
        vm = release_core(now);
        make_ready(vm);
        choose_next(vm, false, now);
    }
}

static u32 sooner(u32 a, u32 b) { return time_after_eq(a, b) ? b : a; }

/* Set the alarm for the next time at which this core must look. */
static void arm_alarm(u32 now)
{
    struct vm *vm = holder ? holder : current_slot.owner;
    u32 due = current_slot.end;

    if (soon || holder != core.current || (vm && order_waits(vm))) {
        due = now;
    } else {
        if (!holder) {
            struct vm *waits = current_slot.owner ? current_slot.owner : sleeper;
            if (waits && waits->state == VM_IDLE)
                due = sooner(due, waits->part.wake_due);
        }
        if (shared.ready.map[ASLEEP] & pool_mine)
            due = sooner(due, now + TICK);
        else if (core_count > 1)
            due = sooner(due, now + hal_look_ticks());
    }
    core.window_due = due;
    hal_alarm_update();
}

/* An alarm within a slot. Apart, because it keeps more registers than the end of a slot, which is counted. */
static __attribute__((noinline)) void within_slot(u32 now)
{
    struct vm *vm = holder ? holder : current_slot.owner;

    if (vm && order_waits(vm))
        follow_order(vm);
    else if (holder != core.current)
        serve_parked(holder, now);
    else
        handle_tick(now);
}

void partition_alarm(u32 now)
{
    if (unlikely(READ_ONCE(shared.over)))
        hal_board_reset();
    soon = false;
    if (time_after_eq(now, current_slot.end))
        end_slot(now);
    else
        within_slot(now);
    arm_alarm(now);
}

void partition_yield(struct vm *vm)
{
    u32 now = hal_now();
    bool own = vm == current_slot.owner;

    if (!own && !pool_wants(PRIORITIES))
        return;
    vm->state = VM_READY;
    rested = own;
    choose_next(release_core(now), true, now);
    arm_alarm(now);
}

void partition_sleep(struct vm *vm)
{
    u32 now = hal_now();

    vm->state = VM_IDLE;
    vm->part.wake_due = now + guest_timers_left(vm, now);
    sleeper = vm;
    if (vm == current_slot.owner) {
        release_core(now);
        give_core(NULL, true, now);
        arm_alarm(now);
    } else {
        park();
    }
}

void partition_wake(struct vm *vm)
{
    if (vm->state != VM_IDLE)
        return;
    if (vm == current_slot.owner || !policy_pooled(vm->flags))
        vm->state = VM_READY;
    else
        partition_knock(vm);
    if (!holder) { /* the core is idle: look at once, not at the next tick */
        core.window_due = hal_now();
        hal_alarm_update();
    }
}

void sched_stopped(struct vm *vm)
{
    /* Neither its timers nor a reset by its watchdog outlive the run. */
    vm->timers.tcr = 0;
    vm->part.taken &= ~ORDER_RESET;
    if (vm == holder)
        park();
}

void sched_first(u32 start)
{
    policy_init(start);
    if (current_slot.owner)
        check_vm(current_slot.owner, start);
    choose_next(NULL, false, start);
    arm_alarm(start);
}
