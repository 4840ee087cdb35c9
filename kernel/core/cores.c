/* SPDX-License-Identifier: MIT */
/*
 * cores.c - cores that join and leave; see core/cores.h.
 *
 * The lock guards cpus[], n_cpus, `leaving`, and who keeps a core here: a system that is
 * made the present one while all its cores are there, and a visit.  Threads are made on
 * a core under one of these two only, or by the core's own threads; so a core that is free
 * to leave gets no new ones.  Readers of cpus[] that walk over all cores run on core 0.
 */
#include <core/cores.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>

#define NOBODY MAX_CPUS

static struct spinlock lock;
static unsigned visited = NOBODY;

int core_join(struct cpu *c)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    unsigned id = 0;
    while (id < MAX_CPUS && cpus[id])
        id++;
    if (id < MAX_CPUS) {
        c->id = id;
        c->online = c->leaving = false;
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

static bool others(unsigned cpu)
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
    else if (used_by(system_table) >> cpu & 1 || visited == cpu || (cpu == 0 && others(0)))
        err = -EBUSY;
    else
        c->leaving = true;
    if (!err)
        hal_ipi_resched(cpu);
    spin_unlock_irqrestore(&lock, flags);
    return err;
}

bool core_present(unsigned cpu) { return cpu < MAX_CPUS && READ_ONCE(cpus[cpu]); }

/* One that has joined but is not online yet will be: what it is to run waits for it. */
static bool stays(unsigned cpu)
{
    const struct cpu *c = cpu < n_cpus ? cpus[cpu] : NULL;
    return c && !c->leaving;
}

int cores_bind(const struct sys_header *h)
{
    u64 used = used_by(h);
    unsigned missing = NOBODY;
    unsigned long flags = spin_lock_irqsave(&lock);
    for (unsigned i = 0; i < MAX_CPUS && missing == NOBODY; i++)
        if (used >> i & 1 && !stays(i))
            missing = i;
    if (missing == NOBODY)
        system_table = h;
    spin_unlock_irqrestore(&lock, flags);
    if (missing == NOBODY)
        return 0;
    printk("system: %s runs on core %u, which is not there: refused\n", h->name, missing);
    return -ENODEV;
}

static bool visit_begins(unsigned cpu)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    bool there = stays(cpu);
    if (there)
        visited = cpu;
    spin_unlock_irqrestore(&lock, flags);
    return there;
}

int core_visit(unsigned cpu, void (*fn)(void *), void *arg)
{
    if (!visit_begins(cpu))
        return -ENODEV;
    struct thread *t = thread_create("visit", cpu, PRIO_MAX, fn, arg, NULL, false);
    if (t) {
        thread_start(t);
        thread_join(t);
    }
    WRITE_ONCE(visited, NOBODY);
    return t ? 0 : -ENOMEM;
}

/* Those of threads and domains are gone with them; what is left is the board's. */
static void forget_timers(struct cpu *c)
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
    forget_timers(c);
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
