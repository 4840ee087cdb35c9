/* SPDX-License-Identifier: MIT */
/* ready.c - the global ready structure: see partition/ready.h. */
#include <partition/ready.h>
#include "vm.h"
#include <partition/bakery_stop.h>
#include <partition/shared.h>
#include <arch/cpu.h>
#include <wcet.h>

__optional bool vm_to_start(const struct vm *vm) { return false; } /* without CONFIG_HEALTH */

u32 pool_mine;
bool pool_lost;
u32 *pool_word;

static __cold __attribute__((noinline)) void give_up_pool(void)
{
    u32 now = hal_now();
    ONCE();
    pool_lost = true;
    pool_mine = 0; /* so that no VM is wanted or woken */
    shared.cores[core.id].lock_lost = now | 1;
    hal_report("lock lost, the pool is given up", now, EVENT_LOCK_LOST);
}

static __attribute__((always_inline)) inline bool lock(void)
{
    if (likely(mutex_start(&shared.lock, core.id)))
        return true;
    give_up_pool();
    return false;
}

static __attribute__((always_inline)) inline void unlock(void) { mutex_stop_word(pool_word); }

static void pool_insert(struct vm *vm)
{
    struct ready *r = &shared.ready;
    r->map[vm->state == VM_READY ? vm->part.prio : ASLEEP] |= vm_bit(vm->id);
}

void pool_add(struct vm *vm) { pool_insert(vm); }

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

/* Take the most urgent VM in the map; among equals the first one after the last that was taken, cyclically. */
static inline __attribute__((always_inline)) struct vm *take_most_urgent(u32 mine)
{
    struct ready *r = &shared.ready;
    u32 *map = r->map, fit;

    while (!(fit = *map & mine)) {
        LOOP_BOUND(PRIORITIES);
        if (++map == r->map + PRIORITIES)
            return NULL;
    }
    u32 after = fit & r->after, id = (u32)__builtin_clz(after ? after : fit), bit = vm_bit(id);
    *map &= ~bit;
    r->after = bit - 1;
    return vm_of(id);
}

/* Besides wake_sleeper(), which is shorter, the only code that holds the lock: docs/wcet.md. */
__attribute__((noinline)) struct vm *pool_exchange(struct vm *out, bool wants, bool last)
{
    struct vm *vm = NULL;
    u32 mine = pool_mine;

    if ((out ? pool_lost : !pool_wants(PRIORITIES)) || !lock())
        return NULL;
    if (out) {
        pool_insert(out);
        if (last)
            mine &= ~vm_bit(out->id);
    }
    if (wants)
        vm = take_most_urgent(mine);
    unlock();
    return vm;
}

static bool has_reason(struct vm *vm, u32 now)
{
    if (vm->state == VM_STOPPED)
        return vm_to_start(vm);
    return READ_ONCE(vm->part.knock) || time_after_eq(now, vm->part.wake_due);
}

/* Make a sleeping VM READY unless another core has done so. The core that takes it checks its timers and its order. */
static void wake_sleeper(struct vm *vm)
{
    u32 bit = vm_bit(vm->id), *map = shared.ready.map;

    if (!lock())
        return;
    if ((map[ASLEEP] & bit) && (vm->state != VM_STOPPED || vm_to_start(vm))) {
        map[ASLEEP] &= ~bit;
        vm->state = VM_READY;
        vm->part.knock = 1;
        pool_insert(vm);
    }
    unlock();
}

bool pool_wake(u32 now)
{
    u32 who = READ_ONCE(shared.ready.map[ASLEEP]) & pool_mine;

    while (who) {
        u32 id = (u32)__builtin_clz(who);
        LOOP_BOUND(PT_VMS);
        who &= ~vm_bit(id);
        if (has_reason(vm_of(id), now)) {
            wake_sleeper(vm_of(id));
            return true;
        }
    }
    return false;
}
