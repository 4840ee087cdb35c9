/* SPDX-License-Identifier: MIT */
/* The global ready structure: core/ready.h. */
#include <core/ready.h>
#include <core/sched_vm.h>
#include <core/shared.h>
#include <arch/cpu.h>
#include <wcet.h>

u32 pool_mine;
bool pool_lost;

static void lose(void)
{
    u32 now = hal_now();
    ONCE();
    pool_lost = true;
    shared.cores[core.id].lock_lost = now | 1;
    hal_report("lock lost, the pool is given up", now, EVENT_LOCK_LOST);
}

static bool lock(void)
{
    if (pool_lost)
        return false;
    if (likely(sem_wait(&shared.lock, core.id)))
        return true;
    lose();
    return false;
}

static void unlock(void)
{
    if (!sem_signal(&shared.lock, core.id))
        lose();
}

static void insert(struct vm *vm)
{
    struct ready *r = &shared.ready;
    r->map[vm->state == VM_READY ? vm->part.prio : ASLEEP] |= vm_bit(vm->id);
}

void pool_add(struct vm *vm) { insert(vm); }

bool pool_wants(u32 below)
{
    const volatile u32 *map = shared.ready.map;
    for (; below; below--) {
        LOOP_BOUND(PRIORITIES);
        if (*map++ & pool_mine)
            return true;
    }
    return false;
}

/* Of equals the first one after the last that was taken, around the end. */
static struct vm *take(u32 below)
{
    struct ready *r = &shared.ready;
    for (u32 *map = r->map; below; below--, map++) {
        LOOP_BOUND(PRIORITIES);
        u32 fit = *map & pool_mine;
        if (fit) {
            u32 after = fit & (0x7fffffffu >> r->last), id = (u32)__builtin_clz(after ? after : fit);
            *map &= ~vm_bit(id);
            r->last = id;
            return vm_of(id);
        }
    }
    return NULL;
}

struct vm *pool_exchange(struct vm *out, u32 below, bool last)
{
    struct vm *vm;

    if (!out && !pool_wants(below))
        return NULL;
    if (!lock())
        return NULL;
    if (out && !last)
        insert(out);
    vm = take(below);
    if (out && last)
        insert(out);
    unlock();
    return vm;
}

/* Worth taking the lock for? Looked at without it, so looked at again with it. */
static bool has_reason(struct vm *vm, u32 now)
{
    if (vm->state == VM_STOPPED)
        return vm->part.order == ORDER_START;
    return READ_ONCE(vm->part.knock) || time_after_eq(now, vm->part.wake_due);
}

static u32 with_reason(u32 now)
{
    u32 who = *(volatile u32 *)&shared.ready.map[ASLEEP] & pool_mine, wake = 0;
    while (who) {
        u32 id = (u32)__builtin_clz(who);
        who &= ~vm_bit(id);
        LOOP_BOUND(PT_VMS);
        if (has_reason(vm_of(id), now))
            wake |= vm_bit(id);
    }
    return wake;
}

void pool_wake(u32 now)
{
    if (!with_reason(now) || !lock())
        return;
    u32 wake = with_reason(now);
    shared.ready.map[ASLEEP] &= ~wake;
    while (wake) {
        u32 id = (u32)__builtin_clz(wake);
        struct vm *vm = vm_of(id);
        wake &= ~vm_bit(id);
        LOOP_BOUND(PT_VMS);
        if (vm->state == VM_STOPPED) {
            vm->part.order = ORDER_NONE;
            vm_start(vm);
        }
        vm->state = VM_READY;
        vm->part.knock = 1; /* who takes it brings its timers up to date */
        insert(vm);
    }
    unlock();
}
