/* SPDX-License-Identifier: MIT */
/* calls.c - the calls of a process that has the status handle: kernel/api/status.yaml describes them. */
#include <core/channel.h>
#include <core/cpu.h>
#include <core/domain.h>
#include <core/thread.h>
#include <errors.h>
#include <generated/status_calls.h>
#include <process/memory.h>
#include <string.h>

#include "status.h"

union record {
    struct status_board board;
    struct status_domain domain;
    struct status_core core;
    struct status_window window;
    struct status_channel channel;
};

/* Each fills a record, all of whose bytes are zero, and returns its size; 0: there is none of that number. */
static size_t of_board(unsigned n, union record *r)
{
    if (n)
        return 0;
    r->board = (struct status_board){ n_domains, n_cpus, system_table->n_windows, system_table->n_channels,
                                      time_to_ns(time_now()) };
    return sizeof(r->board);
}

static void sum_threads(const struct domain *d, struct status_domain *to)
{
    struct thread place, t;
    ticks_t run = 0;
    thread_walk(&place);
    while (thread_next(&place, &t)) {
        if (t.domain != d)
            continue;
        run += thread_run_time(t.run_total);
        to->switches += thread_switches(&t);
        if (t.state != THREAD_DEAD) /* else it stays until the next start */
            to->priority = to->threads++ ? MAX(to->priority, t.prio) : t.prio;
    }
    to->run = time_to_ns(run);
}

static size_t of_domain(unsigned n, union record *r)
{
    if (n >= n_domains)
        return 0;
    const struct domain *d = &domains[n];
    struct status_domain *to = &r->domain;
    memcpy(to->name, d->conf->name, SYS_NAME);
    to->kind = d->conf->kind;
    to->state = READ_ONCE(d->state);
    to->end = READ_ONCE(d->end);
    to->priority = d->conf->prio;
    to->starts = READ_ONCE(d->life);
    to->restarts = READ_ONCE(d->restarts);
    to->memory = d->conf->memory;
    sum_threads(d, to);
    return sizeof(*to);
}

static size_t of_core(unsigned n, union record *r)
{
    struct cpu *c = n < n_cpus ? READ_ONCE(cpus[n]) : NULL; /* it may leave meanwhile: its record stays */
    if (!c)
        return 0;
    struct sched *s = &c->sched;
    r->core.online = c->online;
    r->core.idle = time_to_ns(thread_run_time(u64_peek(&s->idle->run_total, &s->lock)));
    if (!SCHED_WINDOWS || !s->frame.length)
        return sizeof(r->core);
    r->core.segments = s->frame.n;
    r->core.frame = time_to_ns(s->frame.length);
    r->core.edges = READ_ONCE(s->window_switches);
    r->core.late = time_to_ns(READ_ONCE(s->window_late_max));
    return sizeof(r->core);
}

static size_t of_window(unsigned n, union record *r)
{
    if (n >= system_table->n_windows)
        return 0;
    const struct sys_window *w = sys_window(system_table, n);
    r->window = (struct status_window){ w->core, w->domain, w->start_us, w->length_us };
    return sizeof(r->window);
}

/* The channel's number among those of its first end says it. */
static bool is_granted(const struct sys_channel *c, unsigned n)
{
    unsigned index = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct sys_channel *before = sys_channel(system_table, i);
        index += before->domain_a == c->domain_a || before->domain_b == c->domain_a;
    }
    return channel_ops->info(&domains[c->domain_a], index, CHANNEL_GRANTED) == 1;
}

static size_t of_channel(unsigned n, union record *r)
{
    if (n >= system_table->n_channels)
        return 0;
    const struct sys_channel *c = sys_channel(system_table, n);
    struct status_channel *to = &r->channel;
    memcpy(to->name, c->name, SYS_NAME);
    to->a = c->domain_a;
    to->b = c->domain_b;
    to->size = c->size;
    to->granted = is_granted(c, n);
    to->rings[0] = status_rings(n, 0);
    to->rings[1] = status_rings(n, 1);
    return sizeof(*to);
}

/* Returns 0, or why the process may not do that with the handle. */
static int check(struct process *p, u32 handle, u32 rights)
{
    struct handle_object *o;
    unsigned long flags = irq_save();
    int err = handle_take(p, handle, HANDLE_STATUS, rights, &o);
    if (!err)
        handle_put(o); /* the board is never withdrawn */
    irq_restore(flags);
    return err;
}

s64 status_call_status_read(struct process_thread *t, u32 handle, u32 what, u64 to, u32 n)
{
    static size_t (*const fill[])(unsigned, union record *) = { of_board, of_domain, of_core, of_window, of_channel };
    union record r;
    int err = check(t->process, handle, HANDLE_READ);
    if (err)
        return err;
    memset(&r, 0, sizeof(r));
    size_t size = what % 256 < ARRAY_SIZE(fill) ? fill[what % 256](what / 256, &r) : 0;
    if (!size)
        return -ENOENT;
    err = process_write(t, to, &r, MIN(n, size));
    return err ? err : (s64)size;
}

s64 status_call_status_priority(struct process_thread *t, u32 handle, u32 domain, u32 priority)
{
    int err = check(t->process, handle, HANDLE_WRITE);
    if (err)
        return err;
    return domain < n_domains ? status_set_priority(&domains[domain], priority) : -ENOENT;
}
