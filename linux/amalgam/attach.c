// SPDX-License-Identifier: MIT
/*
 * attach.c - makes all CPUs guests of the kernel, or none; and makes all of them bare again, or none.
 *
 * stop_machine() brings every CPU into cross() with interrupts off, in a thread of its own; so no CPU is stopped while
 * it holds a spinlock. (An interrupt to all CPUs could find one CPU with a lock for which another one spins with
 * interrupts off.) In cross() each CPU first reports whether it can cross. They cross only when all of them can. If the
 * processor refuses one of them even then, the others cross back.
 *
 * `state` changes in cross(), under the lock for hotplug, which stop_machine() holds.
 */
#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/stop_machine.h>
#include <asm/apic.h>
#include <asm/tsc.h>

#include "module.h"

struct crossing {
    int (*ready)(void); /* NULL: `go` itself checks before it changes anything */
    long (*go)(void);
    long (*undo)(void);
    u32 then; /* enum amalgam_state after it */
    atomic_t arrived, gone;
    int unready, error;
    u64 longest; /* in ticks of the TSC */
};

/* Keep the first error of all CPUs. They call this at the same time, so it needs an atomic exchange. */
static void note_error(int *first, int error)
{
    if (error)
        cmpxchg(first, 0, error);
}

/* Wait until all online CPUs are here. */
static void meet_all(atomic_t *who)
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
        meet_all(&c->arrived);
        if (READ_ONCE(c->unready)) /* not c->error: a faster CPU may have set that in go() by now */
            return 0;
    }
    error = c->go();
    note_error(&c->error, error);
    meet_all(&c->gone);
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

static int can_enter(void) { return cpu_page(smp_processor_id()) ? gate_here() : -ENODEV; }

static long enter(void) { return amalgam_enter(cpu_page(smp_processor_id())); }
static long leave(void) { return amalgam_leave(); }

static void bell_to(unsigned int cpu) { WRITE_ONCE(amalgam.shared->bell_apic, cpu_physical_id(cpu)); }

void bell_leave(unsigned int cpu)
{
    unsigned int other = cpumask_any_but(cpu_online_mask, cpu);

    if (other < nr_cpu_ids && amalgam.shared->bell_apic == cpu_physical_id(cpu))
        bell_to(other);
}

int attach_all(struct amalgam_switched *took)
{
    struct crossing c = { .ready = can_enter, .go = enter, .undo = leave, .then = AMALGAM_ATTACHED };
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

/* The kernel refuses to let a CPU go while anything is given. The first refusal brings all CPUs back. */
int detach_all(struct amalgam_switched *took)
{
    struct crossing c = { .go = leave, .undo = enter, .then = AMALGAM_LOADED };
    int error = cross_all(&c, took);

    if (error)
        return why(error, "CPUs or memory are still given to the kernel");
    amalgam.detaches++;
    module_put(THIS_MODULE);
    return 0;
}

static int cross_alone(int (*ready)(void), long (*go)(void))
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

int attach_this_cpu(void) { return cross_alone(can_enter, enter); }
int detach_this_cpu(void) { return cross_alone(NULL, leave); }
