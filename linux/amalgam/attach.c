// SPDX-License-Identifier: MIT
/*
 * attach.c - all CPUs become guests of the kernel, or none; all become bare again, or none.
 *
 * stop_machine() is the rendezvous: it brings every CPU into our function with interrupts off, in a thread of its own,
 * so that none of them is in the midst of anything. (An interrupt to all could find two of them waiting for each other:
 * one with a lock that the other spins for with interrupts off.) There each first says whether it can, and only when
 * all can do they go; should the processor refuse one even then, the others come back.
 *
 * `state` changes in there, too: under the lock for hotplug, which stop_machine() holds.
 */
#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/stop_machine.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include "module.h"

struct crossing {
    int (*ready)(void); /* NULL: `go` itself says so, before it does anything */
    long (*go)(void);
    long (*undo)(void);
    u32 then; /* enum amalgam_state */
    atomic_t arrived, gone;
    int unready, error;
    u64 longest; /* in ticks of the TSC */
};

/* Lockless: whoever is last is right, and all of them are. */
static void note_error(int *first, int error)
{
    if (error)
        cmpxchg(first, 0, error);
}

static void meet(atomic_t *who)
{
    int all = num_online_cpus();

    if (all == 1)
        return;
    atomic_inc(who);
    while (atomic_read(who) < all)
        cpu_relax();
}

static void note_longest(struct crossing *c, u64 ticks)
{
    u64 seen = READ_ONCE(c->longest);

    while (ticks > seen && !try_cmpxchg64(&c->longest, &seen, ticks))
        ;
}

static int cross(void *arg)
{
    struct crossing *c = arg;
    u64 from = rdtsc();
    long error;

    if (c->ready) {
        note_error(&c->unready, c->ready());
        meet(&c->arrived);
        if (READ_ONCE(c->unready)) /* a word of its own: who is quick may have failed below by now */
            return 0;
    }
    error = c->go();
    note_error(&c->error, error);
    meet(&c->gone);
    if (!READ_ONCE(c->error))
        WRITE_ONCE(amalgam.state, c->then);
    else if (!error)
        c->undo();
    note_longest(c, rdtsc() - from);
    return 0;
}

static int cross_all(struct crossing *c, struct amalgam_switched *took)
{
    u64 from = ktime_get_ns();
    int error = stop_machine(cross, c, cpu_online_mask);

    *took = (struct amalgam_switched){
        .total_ns = ktime_get_ns() - from,
        .stop_ns = mul_u64_u32_div(c->longest, 1000000, tsc_khz),
        .cpus = num_online_cpus(),
    };
    return error ?: c->unready ?: c->error;
}

static int can_enter(void)
{
    u64 efer;

    if (!cpu_page(smp_processor_id()))
        return -ENODEV;
    rdmsrl(MSR_EFER, efer);
    return efer & EFER_SVME ? -EBUSY : 0;
}

static long enter(void) { return amalgam_enter(cpu_page(smp_processor_id())); }

static void bell_to(unsigned int cpu) { WRITE_ONCE(amalgam.shared->bell_apic, cpu_physical_id(cpu)); }

void bell_leave(unsigned int cpu)
{
    unsigned int other = cpumask_any_but(cpu_online_mask, cpu);

    if (other < nr_cpu_ids && amalgam.shared->bell_apic == cpu_physical_id(cpu))
        bell_to(other);
}

int attach_all(struct amalgam_switched *took)
{
    struct crossing c = { .ready = can_enter, .go = enter, .undo = amalgam_leave, .then = AMALGAM_ATTACHED };
    int error;

    if (!try_module_get(THIS_MODULE))
        return why(-ENODEV, "the module is being unloaded");
    cpus_read_lock();
    bell_to(cpumask_first(cpu_online_mask));
    cpus_read_unlock();
    error = cross_all(&c, took);
    if (error) {
        module_put(THIS_MODULE);
        return why(error, "a CPU cannot be attached: none is (%d)", error);
    }
    amalgam.attaches++;
    return 0;
}

/* Whatever was given keeps all of Linux beneath the kernel, so the first one that it refuses brings all others back. */
int detach_all(struct amalgam_switched *took)
{
    struct crossing c = { .go = amalgam_leave, .undo = enter, .then = AMALGAM_LOADED };
    int error = cross_all(&c, took);

    if (error)
        return why(error, "CPUs or memory are still given to the kernel");
    amalgam.detaches++;
    module_put(THIS_MODULE);
    return 0;
}

static int alone(int (*ready)(void), long (*go)(void))
{
    unsigned long flags;
    int error;

    local_irq_save(flags);
    error = ready ? ready() : 0;
    if (!error)
        error = go();
    local_irq_restore(flags);
    return error;
}

int attach_this_cpu(void) { return alone(can_enter, enter); }
int detach_this_cpu(void) { return alone(NULL, amalgam_leave); }
