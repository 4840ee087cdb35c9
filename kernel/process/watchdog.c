/* SPDX-License-Identifier: MIT */
/*
 * watchdog.c - a process whose system file names a `watchdog` has to call watchdog_kick() again and again. The first
 * time that it does not for so long it is ended (END_WATCHDOG), and its restart policy decides what follows.
 *
 * A kick only moves process.deadline; the timer looks at it when it fires. So there is one interrupt for each period,
 * and a process is found late exactly one period after its last kick. The interrupt does not end the process, which may
 * have 64 threads: it makes the first thread leave, and that ends the process, in its own window, as a VM's first vCPU
 * does. A process that has not kicked may have got no time, so that thread is as urgent as the keeper then.
 *
 * The timer is armed by start(), so it fires on core 0, where processes are started and destroyed: neither comes
 * between look()'s decision and what it does. kill() sets the deadline to TICKS_NEVER, which no kick changes: so what
 * is left of a run finds nothing to do in the next one.
 */
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>
#include <generated/process_calls.h>
#include <hal/time.h>

#include "watchdog.h"

#define NS_PER_MS 1000000ull

static u16 period_ms(const struct domain *d)
{
    if (d->conf->kind == SYS_KIND_PROCESS)
        return d->conf->watchdog_ms;
    return d->conf->kind == SYS_KIND_VM ? d->conf->watchdog_ms : 0;
}

static ticks_t next_deadline(const struct process *p) { return time_after(period_ms(p->domain) * NS_PER_MS); }

static ticks_t deadline_of(struct process *p)
{
    unsigned long flags = spin_lock_irqsave(&p->lock);
    ticks_t deadline = p->deadline;
    spin_unlock_irqrestore(&p->lock, flags);
    return deadline;
}

static void set_deadline(struct process *p, ticks_t deadline)
{
    unsigned long flags = spin_lock_irqsave(&p->lock);
    p->deadline = deadline;
    spin_unlock_irqrestore(&p->lock, flags);
}

/* The timer's function */
static void look(void *arg)
{
    struct process *p = arg;
    ticks_t deadline = deadline_of(p);
    if (time_now() < deadline) {
        timer_arm(&p->watchdog, deadline); /* TICKS_NEVER: not again */
        return;
    }
    WRITE_ONCE(p->expired, true);
    process_thread_leave(&p->thread[0], PRIO_MAX);
}

__init_text const char *process_watchdog_check(const struct sys_domain *d) { return NULL; }

void process_watchdog_start(struct process *p)
{
    p->expired = false;
    if (!period_ms(p->domain))
        return;
    timer_cancel(&p->watchdog);
    timer_init(&p->watchdog, look, p);
    set_deadline(p, next_deadline(p));
    timer_arm(&p->watchdog, p->deadline);
}

void process_watchdog_stop(struct process *p) { set_deadline(p, TICKS_NEVER); }

void process_watchdog_end(struct process *p)
{
    if (READ_ONCE(p->expired))
        domain_end(p->domain, END_WATCHDOG, "no kick for %u ms", period_ms(p->domain));
}

s64 process_call_watchdog_kick(struct process_thread *t)
{
    struct process *p = t->process;
    if (!period_ms(p->domain))
        return -ENOENT;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    if (p->deadline != TICKS_NEVER)
        p->deadline = next_deadline(p);
    spin_unlock_irqrestore(&p->lock, flags);
    return 0;
}

/* Milliseconds until the process has to have kicked. */
static u64 left_ms(struct process *p)
{
    ticks_t now = time_now(), deadline = deadline_of(p);
    return deadline > now ? time_to_ns(deadline - now) / NS_PER_MS : 0;
}

static const char *health(const struct domain *d, bool late)
{
    if (d->state == DOMAIN_RUNNING)
        return late ? "late" : "good";
    bool well = d->end == END_NONE || d->end == END_STOPPED || d->end == END_DONE || d->end == END_POWER_OFF;
    return well ? "stopped" : "failed";
}

/* `late`: it runs, and more than half of its time has passed since its last kick. */
static int report_health(const char *arg)
{
    for (unsigned i = 0; i < n_domains; i++) {
        struct domain *d = &domains[i];
        u16 period = period_ms(d);
        bool kicks = period && d->conf->kind == SYS_KIND_PROCESS && d->state == DOMAIN_RUNNING;
        u64 left = kicks ? left_ms(d->impl) : period;
        printk("%2u %-15s %-7s watchdog %u ms, %llu ms left\n", i, d->conf->name, health(d, left < period / 2), period,
               left);
    }
    return 0;
}
MONITOR_COMMAND(health, "health", "", "whether domains are good, late, failed or stopped", .run = report_health);
