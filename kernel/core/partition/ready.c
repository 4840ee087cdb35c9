/* SPDX-License-Identifier: MIT */
/* The global ready structure: core/ready.h. */
#include <core/ready.h>
#include <core/sched_vm.h>
#include <core/shared.h>
#include <arch/cpu.h>
#include <wcet.h>

u32 pool_mine;
bool pool_lost;

static __cold __attribute__((noinline)) void lose(void)
{
    u32 now = hal_now();
    ONCE();
    pool_lost = true;
    pool_mine = 0; /* none is wanted, none is woken */
    shared.cores[core.id].lock_lost = now | 1;
    hal_report("lock lost, the pool is given up", now, EVENT_LOCK_LOST);
}

static __attribute__((always_inline)) inline bool lock(void)
{
    if (likely(mutex_start(&shared.lock, core.id)))
        return true;
    lose();
    return false;
}

static __attribute__((always_inline)) inline void unlock(void) { mutex_stop(&shared.lock, core.id); }

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

/*
 * With the lock. All that is done with it is done here and in asleep_no_more(): what others wait for it has a bound
 * (docs/wcet.md). Of equals the first one after the last that was taken, around the end.
 */
LOCK_ROUTINE static struct vm *exchange_locked(struct vm *out, u32 below, bool last)
{
    struct ready *r = &shared.ready;
    u32 mine = pool_mine;

    if (out) {
        insert(out);
        if (last)
            mine &= ~vm_bit(out->id);
    }
    for (u32 *map = r->map; below; below--) {
        LOOP_BOUND(PRIORITIES);
        u32 fit = *map++ & mine;
        if (fit) {
            u32 after = fit & (0x7fffffffu >> r->last), id = (u32)__builtin_clz(after ? after : fit);
            map[-1] &= ~vm_bit(id);
            r->last = id;
            return vm_of(id);
        }
    }
    return NULL;
}

struct vm *pool_exchange(struct vm *out, u32 below, bool last)
{
    struct vm *vm;

    if ((out ? pool_lost : !pool_wants(below)) || !lock())
        return NULL;
    vm = exchange_locked(out, below, last);
    unlock();
    return vm;
}

/* It is this core's from now on, unless another core was faster. */
static bool asleep_no_more(u32 bit)
{
    u32 *asleep = &shared.ready.map[ASLEEP], was;

    if (!lock())
        return false;
    was = *asleep;
    *asleep = was & ~bit;
    unlock();
    return was & bit;
}

static bool has_reason(struct vm *vm, u32 now)
{
    if (vm->state == VM_STOPPED)
        return vm_to_start(vm);
    return READ_ONCE(vm->part.knock) || time_after_eq(now, vm->part.wake_due);
}

void pool_wake(u32 now)
{
    u32 who = READ_ONCE(shared.ready.map[ASLEEP]) & pool_mine;

    while (who) {
        u32 id = (u32)__builtin_clz(who), bit = vm_bit(id);
        struct vm *vm = vm_of(id);
        LOOP_BOUND(PT_VMS);
        who &= ~bit;
        if (!has_reason(vm, now) || !asleep_no_more(bit))
            continue;
        if (has_reason(vm, now)) { /* it was looked at without the lock */
            if (vm->state == VM_STOPPED)
                vm_order(vm);
            vm->state = VM_READY;
            vm->part.knock = 1; /* who takes it brings its timers up to date */
        }
        pool_exchange(vm, 0, false);
    }
}
