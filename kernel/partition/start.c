/* SPDX-License-Identifier: MIT */
/*
 * start.c - starts a board of partitions, up to the first frame, which begins at the same time on all cores.
 *
 * The cores' time bases were started one by one, but windows and the timers of VMs that change cores need the same
 * time. So core 0 keeps writing its time base into shared.clock, and the other cores set theirs by it until they see no
 * difference beyond CLOCK_SKEW. Then core 0 lets all begin.
 */
#include <partition/ready.h>
#include <partition/policy.h>
#include "vm.h"
#include <partition/shared.h>
#include <partition/pt.h>
#include <arch/cpu.h>

/* Without CONFIG_HEALTH a VM has one run; stop.c ends it at the first event. */
__init_text __optional void vm_start(struct vm *vm)
{
    vm->part.prio = vm->conf->prio;
    vm->state = VM_READY;
    load_begin(vm);
}

#define CLOCK_SKEW  3333u /* ticks, 10 us: two readings at once differ by this much on a host that runs both cores */
#define CLOCK_TRIES 1000u /* then the difference is accepted */
#define AWAIT_CORES 0x70000000u /* ticks, 5.6 s; then the others begin without the missing cores */
#define LEAD        3333333u    /* ticks, 10 ms, until the first frame begins */

static __init_text void create_vms(void)
{
    for (u32 i = 0; i < pt()->n_vms; i++) {
        struct vm *vm = vm_of(i);
        const struct pt_vm *conf = &pt_vms()[i];
        vm->id = (u8)i;
        vm->conf = conf;
        vm->base = conf->base;
        vm->size = conf->size;
        vm->flags = conf->flags;
        vm->core = (u8)__builtin_ctz(conf->cores);
        vm->part.restarts_left = conf->restarts;
        if (conf->flags & PT_AUTOSTART)
            vm_start(vm);
        if (policy_pooled(conf->flags))
            pool_add(vm);
    }
}

static __init_text void await_cores(void)
{
    u32 begun = hal_now(), came;
    do {
        WRITE_ONCE(shared.clock, hal_now());
        mp_fence();
        came = 1;
        for (u32 c = 1; c < core_count; c++)
            came += READ_ONCE(shared.cores[c].boot) == CORE_IN_TIME;
    } while (came < core_count && hal_now() - begun < AWAIT_CORES);
    if (came < core_count)
        hal_report("cores, of which came", core_count, came);
}

static __init_text void set_clock(void)
{
    u32 clock, tries = CLOCK_TRIES, off;

    WRITE_ONCE(shared.cores[core.id].boot, CORE_HERE);
    do {
        u32 last = READ_ONCE(shared.clock);
        while ((clock = READ_ONCE(shared.clock)) == last && READ_ONCE(shared.magic) != SHARED_MAGIC)
            ;
        off = hal_now() - clock;
        if (off + CLOCK_SKEW <= 2 * CLOCK_SKEW)
            break;
        time_base_set(clock);
    } while (--tries);
    mp_fence();
    WRITE_ONCE(shared.cores[core.id].boot, CORE_IN_TIME);
}

static __init_text int first_core(void)
{
    int line = table_check();
    if (line) {
        hal_report("partition table refused, rule", (u32)line, pt()->magic);
        return -1;
    }
    core_count = pt()->n_cores;
    shared.records = (u32)(uintptr_t)vm_records;
    shared.record_size = sizeof(struct vm_record);
    shared.part = offsetof(struct vm_record, vm.part);
    shared.state = offsetof(struct vm_record, vm.state);
    create_vms();
    await_cores();
    shared.start = hal_now() + LEAD;
    mp_fence();
    WRITE_ONCE(shared.magic, SHARED_MAGIC);
    return 0;
}

__init_text int partition_start(void)
{
    if (core.id == 0) {
        if (first_core())
            return -1;
    } else {
        while (!READ_ONCE(shared.clock)) /* core 0 has not checked the table yet */
            ;
        mp_fence();
        core_count = pt()->n_cores;
        if (core.id >= core_count) {
            hal_report("not a core of this system, of", core.id, core_count);
            return -1;
        }
        set_clock();
        while (READ_ONCE(shared.magic) != SHARED_MAGIC)
            ;
        mp_fence();
    }
    for (u32 i = 0; i < pt()->n_vms; i++)
        if (policy_pooled(vm_of(i)->flags) && (vm_of(i)->conf->cores >> core.id & 1))
            pool_mine |= vm_bit(i);
    pool_word = &shared.lock.word[core.id];
    while (!time_after_eq(hal_now(), shared.start))
        ;
    sched_first(shared.start);
    return 0;
}
