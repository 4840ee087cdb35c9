/* SPDX-License-Identifier: MIT */
/*
 * cores.c - cores that join and leave; see core/cores.h.
 *
 * The lock guards cpus[], n_cpus, `leaving`, and the two things that keep a core here: a system is made the present one
 * only while all its cores are present, and a visit. Only these two and the core's own threads create threads on a
 * core, so a core that may leave gets no new ones. Code that walks over all of cpus[] runs on core 0.
 */
#include <core/cores.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>
#include <string.h>

#define NO_CORE MAX_CPUS

static struct spinlock lock;
static unsigned visited = NO_CORE;

int core_join(struct cpu *c)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    unsigned id = 0;
    while (id < MAX_CPUS && cpus[id])
        id++;
    if (id < MAX_CPUS) {
        c->id = id;
        c->online = c->leaving = false;
        memset(&c->sched, 0, sizeof(c->sched));
        memset(&c->idle, 0, sizeof(c->idle));
        sched_init(c);
        WRITE_ONCE(cpus[id], c);
        n_cpus = MAX(n_cpus, id + 1);
    }
    spin_unlock_irqrestore(&lock, flags);
    return id < MAX_CPUS ? (int)id : -ENOSPC;
}

/* The cores on which system `h` has vCPUs or windows, and core 0. */
static u64 used_by(const struct sys_header *h)
{
    u64 used = h ? 1 : 0;
    for (unsigned i = 0; h && i < h->n_domains; i++)
        for (unsigned v = 0; v < sys_domain(h, i)->n_vcpus; v++)
            used |= 1ull << sys_domain(h, i)->core[v];
    for (unsigned i = 0; h && i < h->n_frames; i++)
        used |= 1ull << sys_frame(h, i)->core;
    return used;
}

static bool others_present(unsigned cpu)
{
    for (unsigned i = 0; i < n_cpus; i++)
        if (i != cpu && cpus[i])
            return true;
    return false;
}

int core_leave(unsigned cpu)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    struct cpu *c = cpu < n_cpus ? cpus[cpu] : NULL;
    int err = 0;
    if (!c)
        err = -ENODEV;
    else if (used_by(system_table) >> cpu & 1 || visited == cpu || (cpu == 0 && others_present(0)))
        err = -EBUSY;
    else
        c->leaving = true;
    if (!err)
        hal_ipi_resched(cpu);
    spin_unlock_irqrestore(&lock, flags);
    return err;
}

bool core_present(unsigned cpu) { return cpu < MAX_CPUS && READ_ONCE(cpus[cpu]); }

/* Returns whether core `cpu` is present and was not asked to leave. A core that has joined counts before it is
 * online: threads started there wait for it. */
static bool is_staying(unsigned cpu)
{
    const struct cpu *c = cpu < n_cpus ? cpus[cpu] : NULL;
    return c && !c->leaving;
}

int cores_bind(const struct sys_header *h)
{
    u64 used = used_by(h);
    unsigned missing = NO_CORE;
    unsigned long flags = spin_lock_irqsave(&lock);
    for (unsigned i = 0; i < MAX_CPUS && missing == NO_CORE; i++)
        if (used >> i & 1 && !is_staying(i))
            missing = i;
    if (missing == NO_CORE)
        system_table = h;
    spin_unlock_irqrestore(&lock, flags);
    if (missing == NO_CORE)
        return 0;
    printk("system: %s runs on core %u, which is not there: refused\n", h->name, missing);
    return -ENODEV;
}

void cores_release(void)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    system_table = NULL;
    spin_unlock_irqrestore(&lock, flags);
}

static bool visit_begin(unsigned cpu)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    bool there = is_staying(cpu);
    if (there)
        visited = cpu;
    spin_unlock_irqrestore(&lock, flags);
    return there;
}

int core_visit(unsigned cpu, void (*fn)(void *), void *arg)
{
    if (!visit_begin(cpu))
        return -ENODEV;
    struct thread *t = thread_create("visit", cpu, PRIO_MAX, fn, arg, NULL, false);
    if (t) {
        thread_start(t);
        thread_join(t);
    }
    WRITE_ONCE(visited, NO_CORE);
    return t ? 0 : -ENOMEM;
}

/* Cancel the remaining timers of a core: they are the board's, since threads and domains have ended. */
static void cancel_timers(struct cpu *c)
{
    while (!list_empty(&c->timers))
        timer_cancel(list_entry(c->timers.next, struct timer, link));
}

bool core_may_leave(struct cpu *c)
{
    if (!READ_ONCE(c->leaving))
        return false;
    if (!threads_end(c->id))
        return READ_ONCE(c->sched.resched);
    cancel_timers(c);
    spin_lock(&lock);
    c->online = c->leaving = false;
    cpus[c->id] = NULL;
    while (n_cpus && !cpus[n_cpus - 1])
        n_cpus--;
    if (c->id == 0)
        core_go = false;
    spin_unlock(&lock);
    hal_timer_arm(TICKS_NEVER);
    hal_core_left();
}
