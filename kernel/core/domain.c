/* SPDX-License-Identifier: MIT */
/*
 * domain.c - the life of domains: EMPTY -> STOPPED -> RUNNING -> STOPPING -> STOPPED.
 *
 * The end of a domain has three steps, so that any context can ask for it. domain_end() records why and makes the
 * threads leave. The last thread makes the domain STOPPED. The keeper (keeper.c) then restarts it or powers the board
 * off.
 *
 * Each start begins a life with a number of its own (docs/lives.md). A stop and the keeper's restart decide under one
 * lock: a stop ends the life that it finds there, also one whose restart was due, and waits for that life only.
 */
#include <core/channel.h>
#include <core/console.h>
#include <core/cpu.h>
#include <core/domain.h>
#include <core/log.h>
#include <errors.h>
#include <stdarg.h>
#include <string.h>

#include "keeper.h"

struct domain domains[SYS_MAX_DOMAINS];
const struct channel_ops *channel_ops;
unsigned n_domains;
#if SPAWN
static void (*stopped)(struct domain *d);

__init_text void domain_tell_stops(void (*to)(struct domain *d)) { stopped = to; }
#else
static void stopped(const struct domain *d) {}
#endif

const char *domain_end_name(enum domain_end end)
{
    static const char *const names[] = { "never ran", "power-off", "reset", "triple fault",   "watchdog",
                                         "stopped",   "fault",     "done",  "could not start" };
    return names[end];
}

const char *domain_state_name(enum domain_state state)
{
    static const char *const names[] = { "unusable", "stopped", "running", "stopping" };
    return names[state];
}

__init_text void domain_register_kind(unsigned kind, const struct domain_ops *ops)
{
    assert(kind < ARRAY_SIZE(domain_kinds));
    domain_kinds[kind] = ops;
}

struct domain *domain_find(const char *name)
{
    for (unsigned i = 0; i < n_domains; i++)
        if (!strcmp(domains[i].conf->name, name))
            return &domains[i];
    return NULL;
}

static void input(void *arg, u8 byte)
{
    struct domain *d = arg;
    if (d->ops->input && READ_ONCE(d->state) == DOMAIN_RUNNING)
        d->ops->input(d, byte);
}

static void log_end(const struct domain *d, enum domain_end how, const char *text)
{
    if (SPAWN && d->conf->flags & SYS_STARTED && how != END_FAULT)
        return; /* who started it is told */
    printk("domain %s: %s%s%s\n", d->conf->name, domain_end_name(how), text[0] ? ": " : "", text);
}

/* changed.lock is held, or nobody else can reach the domain's end. */
static void set_end(struct domain *d, enum domain_end how, const char *text)
{
    d->end = (u8)how;
    strlcpy(d->reason, text, sizeof(d->reason));
}

/* Record that the domain could not be created or started, with the error as reason unless d->reason has one. */
static void note_refusal(struct domain *d, int err)
{
    d->end = END_UNSTARTED;
    if (d->reason[0])
        return;
    if (err == -ENOMEM)
        strlcpy(d->reason, "not enough memory", sizeof(d->reason));
    else
        ksnprintf(d->reason, sizeof(d->reason), "error %d", err);
}

static __init_text void create(struct domain *d)
{
    const char *name = d->conf->name;
    d->ops = domain_kinds[d->conf->kind]; /* system_check.c has checked the kind */
    if (!d->ops)
        strlcpy(d->reason, "this kernel, on this machine, has nothing for its kind", sizeof(d->reason));
    int err = d->ops ? d->ops->create(d) : -ENODEV;
    if (err) {
        note_refusal(d, err);
        log_end(d, d->end, d->reason);
        return;
    }
    d->state = DOMAIN_STOPPED;
    if (channel_ops)
        channel_ops->attach(d);
    console_register(d->id, name, input, d);
}

__noinline bool domain_wants_restart(const struct domain *d)
{
    static const u8 flag[] = {
        [END_RESET] = SYS_RESTART_ON_RESET,
        [END_TRIPLE_FAULT] = SYS_RESTART_ON_FAULT,
        [END_WATCHDOG] = SYS_RESTART_ON_FAULT,
        [END_FAULT] = SYS_RESTART_ON_FAULT,
        [END_UNSTARTED] = 0,
    };
    return d->conf->flags & flag[d->end];
}

/* Start a domain. `again`: the keeper restarts it, if the domain still wants it; the operator may have stopped it
 * meanwhile. */
static int life_start(struct domain *d, bool again)
{
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    int err = 0;
    while ((d->state == DOMAIN_STOPPING || d->starting) && !err) /* its last thread is still leaving */
        err = domain_wait(d);
    bool free = d->state == DOMAIN_STOPPED && !err && (!again || domain_wants_restart(d));
    if (free) {
        d->state = DOMAIN_RUNNING;
        d->starting = true;
        d->life = life_next(d->life);
        set_end(d, END_NONE, "");
        d->restarts += again;
    }
    spin_unlock_irqrestore(&d->changed.lock, flags);
    if (!free)
        return d->state == DOMAIN_EMPTY ? -ENODEV : -EBUSY;
    err = d->ops->start(d);
    if (err) { /* no thread has started, and `starting` keeps all others off */
        d->state = DOMAIN_STOPPED;
        note_refusal(d, err);
        log_end(d, END_UNSTARTED, d->reason);
    }
    domain_release(d);
    return err;
}

int domain_start(struct domain *d) { return life_start(d, false); }
int domain_start_again(struct domain *d) { return life_start(d, true); }

void domain_hold(struct domain *d)
{
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    while (d->starting)
        waitq_wait(&d->changed, TICKS_NEVER);
    d->starting = true;
    spin_unlock_irqrestore(&d->changed.lock, flags);
}

bool domain_try_hold(struct domain *d)
{
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    bool free = !d->starting;
    d->starting = true;
    spin_unlock_irqrestore(&d->changed.lock, flags);
    return free;
}

void domain_release(struct domain *d)
{
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    d->starting = false;
    waitq_wake_all(&d->changed);
    spin_unlock_irqrestore(&d->changed.lock, flags);
}

/* RUNNING -> STOPPING with the reason. Returns false if the domain was not running; the first reason is kept. */
static bool begin_end(struct domain *d, enum domain_end how, const char *text)
{
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    bool running = d->state == DOMAIN_RUNNING;
    if (running) {
        d->state = DOMAIN_STOPPING;
        set_end(d, how, text);
    }
    spin_unlock_irqrestore(&d->changed.lock, flags);
    return running;
}

void domain_end(struct domain *d, enum domain_end how, const char *fmt, ...)
{
    char text[sizeof(d->reason)];
    va_list ap;
    va_start(ap, fmt);
    kvsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (!begin_end(d, how, text))
        return;
    log_end(d, how, text);
    d->ops->kill(d);
}

/* RUNNING -> STOPPING by the operator, or no restart of a life that ends or has ended. Returns the number of that life,
 * or LIFE_NONE if there is nothing to stop. The first reason is kept unless it is one for a restart. */
static u32 begin_stop(struct domain *d)
{
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    bool running = d->state == DOMAIN_RUNNING, ending = d->state == DOMAIN_STOPPING;
    bool cancels = domain_wants_restart(d); /* not while it runs: it has no end yet */
    if (running)
        d->state = DOMAIN_STOPPING;
    if (running || cancels)
        set_end(d, END_STOPPED, "by the control console");
    u32 life = running || ending || cancels ? d->life : LIFE_NONE;
    spin_unlock_irqrestore(&d->changed.lock, flags);
    return life;
}

/* Kills a domain that ends by itself, too: it may get no time for that but from who waits now. */
int domain_stop(struct domain *d)
{
    domain_hold(d); /* no start is under way, so the threads can be found, and their records stay */
    u32 life = begin_stop(d);
    if (READ_ONCE(d->state) == DOMAIN_STOPPING)
        d->ops->kill(d);
    domain_release(d);
    int err = 0;
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    while (d->state == DOMAIN_STOPPING && d->life == life && !err)
        err = domain_wait(d);
    spin_unlock_irqrestore(&d->changed.lock, flags);
    if (err)
        domain_is_late(d);
    return err ? err : life ? 0 : -ENOENT;
}

int domain_restart(struct domain *d)
{
    int err = domain_stop(d);
    if (err == -ETIMEDOUT)
        return err;
    d->restarts++;
    return domain_start(d);
}

/* The last thread has left: RUNNING -> STOPPING, unless domain_end() has done that. */
static bool is_last(struct domain *d)
{
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    bool last = --d->live == 0;
    if (last && d->state == DOMAIN_RUNNING) {
        d->end = END_DONE;
        d->state = DOMAIN_STOPPING;
    }
    spin_unlock_irqrestore(&d->changed.lock, flags);
    return last;
}

/* The peers are told before the domain is STOPPED: after that a start may come first, and the peers' records may be
 * destroyed. */
void domain_thread_gone(struct domain *d)
{
    if (!is_last(d))
        return;
    if (channel_ops)
        channel_ops->ended(d);
    unsigned long flags = spin_lock_irqsave(&d->changed.lock);
    d->state = DOMAIN_STOPPED;
    waitq_wake_all(&d->changed);
    spin_unlock_irqrestore(&d->changed.lock, flags);
    if (SPAWN && d->conf->flags & SYS_STARTED)
        stopped(d);
    else
        keeper_look(d);
}

__init_text void domains_create(void)
{
    n_domains = system_table ? system_table->n_domains : 0;
    for (unsigned i = 0; i < n_domains; i++) {
        struct domain *d = &domains[i];
        d->id = i;
        d->conf = sys_domain(system_table, i);
        waitq_init(&d->changed);
        create(d);
    }
}
