/* SPDX-License-Identifier: MIT */
/* The global ready structure: partition/ready.h. */
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

static __attribute__((always_inline)) inline void unlock(void) { mutex_stop_word(pool_word); }

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

/* The VM of highest priority in the map; of equals the first one after the last that was taken, around the end. */
static inline __attribute__((always_inline)) struct vm *take(u32 mine)
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

/* All that is done with the lock is done here and in wake(), which is shorter: docs/wcet.md. */
__attribute__((noinline)) struct vm *pool_exchange(struct vm *out, bool wants, bool last)
{
    struct vm *vm = NULL;
    u32 mine = pool_mine;

    if ((out ? pool_lost : !pool_wants(PRIORITIES)) || !lock())
        return NULL;
    if (out) {
        insert(out);
        if (last)
            mine &= ~vm_bit(out->id);
    }
    if (wants)
        vm = take(mine);
    unlock();
    return vm;
}

static bool has_reason(struct vm *vm, u32 now)
{
    if (vm->state == VM_STOPPED)
        return vm_to_start(vm);
    return READ_ONCE(vm->part.knock) || time_after_eq(now, vm->part.wake_due);
}

/* Unless another core was faster. Who takes it looks at its timers and its order. */
static void wake(struct vm *vm)
{
    u32 bit = vm_bit(vm->id), *map = shared.ready.map;

    if (!lock())
        return;
    if ((map[ASLEEP] & bit) && (vm->state != VM_STOPPED || vm_to_start(vm))) {
        map[ASLEEP] &= ~bit;
        vm->state = VM_READY;
        vm->part.knock = 1;
        insert(vm);
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
            wake(vm_of(id));
            return true;
        }
    }
    return false;
}
