/* SPDX-License-Identifier: MIT */
/* report.c - tables for the control console: domains, cores, threads, memory. */
#include <core/cpu.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/log.h>
#include <hal/time.h>

#include "report.h"

int report_domains(const char *arg)
{
    for (unsigned i = 0; i < n_domains; i++) {
        const struct domain *d = &domains[i];
        printk("%2u %-15s %-6s %-8s %u vCPUs %5llu MiB restarts %u; %s%s%s\n", i, d->conf->name,
               d->conf->kind == SYS_KIND_VM     ? "vm"
               : d->conf->kind == SYS_KIND_TASK ? "task"
                                                : "process",
               domain_state_name(d->state), d->conf->n_vcpus, d->conf->memory >> 20, d->restarts,
               domain_end_name(d->end), d->reason[0] ? ": " : "", d->reason);
    }
    return 0;
}

static __noinline u64 us(ticks_t t) { return (time_to_ns(t) + 500) / 1000; }

int report_cpus(const char *arg)
{
    for (unsigned i = 0; i < n_cpus; i++) {
        struct cpu *c = READ_ONCE(cpus[i]); /* it may leave meanwhile: its record stays */
        if (!c)
            continue;
        struct sched *s = &c->sched;
        printk("cpu %u %s, runs %s, idle %llu us, %llu switches to idle\n", i, c->online ? "online" : "offline",
               s->running->name, us(thread_run_time(u64_peek(&s->idle->run_total, &s->lock))),
               (u64)thread_switches(s->idle));
        if (!SCHED_WINDOWS || !s->frame.length)
            continue;
        printk("  frame %llu us, %u segments, %llu window edges, latest since last asked %llu ticks late\n",
               us(s->frame.length), s->frame.n, (u64)s->window_switches, (u64)s->window_late_max);
        s->window_late_max = 0;
    }
    return 0;
}

int report_memory(const char *arg)
{
    printk("%llu KiB free\n", (frames_free_bytes() >> 10));
    return 0;
}

void report_threads(const struct domain *d)
{
    static const char *const states[] = { "ready", "running", "blocked", "dead" };
    static struct thread t; /* static: there is one monitor, which prints one report at a time */
    struct thread place;
    thread_walk(&place);
    while (thread_next(&place, &t))
        if (!d || t.domain == d)
            printk("%-15s cpu %u prio %2u group %u %-7s %10llu us %8llu switches\n", t.name, t.cpu, t.prio, t.group,
                   states[t.state], us(thread_run_time(t.run_total)), (u64)thread_switches(&t));
}
