/* SPDX-License-Identifier: MIT */
/* slots.c - the slots, from start to end; see spawn.h. */
#include <core/domain.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/sched.h>
#include <core/thread.h>
#include <errors.h>
#include <process/part.h>

#include "events.h"
#include "pipe.h"
#include "spawn.h"

#define LIVES (1u << 27) /* the numbers of what was started in a slot: 31 bits with the domain's */

static struct slot slots[SYS_MAX_DOMAINS];
static struct spinlock lock;

static bool has_stopped(const struct slot *s) { return READ_ONCE(s->process->domain->state) == DOMAIN_STOPPED; }

/* While a domain is held its threads' records stay. Who holds it is not long about it: the control console, which ends
 * the threads or finds that it may not start any, and these functions. */
static void hold(struct slot *s)
{
    while (!domain_try_hold(s->process->domain))
        thread_yield();
}

/* The slot is SLOT_BUSY, and its domain has stopped. */
static void clean(struct slot *s)
{
    hold(s);
    process_clean(s->process);
    domain_release(s->process->domain);
}

/* Make the domain's threads leave, if it runs in the life `child`. */
static void end_life(struct slot *s, u32 child, const char *why)
{
    hold(s);
    if (READ_ONCE(s->child) == child)
        domain_end(s->process->domain, END_STOPPED, "%s", why);
    domain_release(s->process->domain);
}

struct slot *slot_claim(unsigned owner)
{
    struct slot *found = NULL;
    bool is_clean = true;
    unsigned long flags = spin_lock_irqsave(&lock);
    for (struct slot *s = slots; s < slots + n_domains && !found; s++) {
        if (!s->process || s->owner != owner || !has_stopped(s) || (s->state != SLOT_FREE && s->state != SLOT_LEFT))
            continue;
        is_clean = s->state == SLOT_FREE;
        s->state = SLOT_BUSY;
        found = s;
    }
    spin_unlock_irqrestore(&lock, flags);
    if (!is_clean)
        clean(found);
    return found;
}

void slot_free(struct slot *s)
{
    clean(s);
    unsigned long flags = spin_lock_irqsave(&lock);
    s->child = 0;
    s->state = SLOT_FREE;
    spin_unlock_irqrestore(&lock, flags);
}

u32 slot_runs(struct slot *s)
{
    const struct domain *d = s->process->domain;
    unsigned long flags = spin_lock_irqsave(&lock);
    s->child = d->life % LIVES << 4 | d->id;
    if (s->child < SYS_MAX_DOMAINS)
        s->child += SYS_MAX_DOMAINS;
    s->state = SLOT_RUNS;
    spin_unlock_irqrestore(&lock, flags);
    return s->child;
}

/* Under the lock. */
static struct slot *find(unsigned owner, u32 child)
{
    struct slot *s = &slots[child % SYS_MAX_DOMAINS];
    return s->process && s->owner == owner && s->state == SLOT_RUNS && s->child == child ? s : NULL;
}

int slot_end(unsigned owner, u32 child, struct slot **found)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    struct slot *s = find(owner, child);
    int err = !s ? -ENOENT : has_stopped(s) ? 0 : -EAGAIN;
    if (!err)
        s->state = SLOT_BUSY;
    spin_unlock_irqrestore(&lock, flags);
    *found = s;
    return err;
}

int slot_kill(unsigned owner, u32 child, u32 why)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    struct slot *s = find(owner, child);
    if (s && !s->killed) {
        s->killed = true;
        s->why = why;
    }
    spin_unlock_irqrestore(&lock, flags);
    if (!s)
        return -ENOENT;
    end_life(s, child, "by the process that started it");
    return 0;
}

/* domain_tell_stops() */
static void stopped(struct domain *d)
{
    if (slots[d->id].process)
        events_ring(slots[d->id].owner);
    sched_poll();
}

void events_ring_console(unsigned console)
{
    if (domains[console].impl)
        events_ring(console);
    for (struct slot *s = slots; s < slots + n_domains; s++)
        if (s->process && s->owner == console && READ_ONCE(s->state) != SLOT_FREE)
            events_ring(s->process->domain->id);
}

/* The process's moments */

static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    u16 spawner = sys_process(d)->spawner;
    const struct sys_domain *owner = spawner && spawner <= h->n_domains ? sys_domain(h, spawner - 1u) : NULL;
    if (!spawner != !(d->flags & SYS_STARTED))
        return "a process has a spawner, and not the flag for it, or the other way round";
    if (!spawner)
        return NULL;
    if (d->flags != SYS_STARTED)
        return "a spawned process has flags of others";
    if (!owner || owner->kind != SYS_KIND_PROCESS || owner->flags & SYS_STARTED)
        return "a spawned process's spawner is no process, or is spawned itself";
    return sys_process(d)->program == SYS_NONE && sys_process(d)->files == SYS_NONE ? NULL
                                                                                    : "a spawned process has a program";
}

static __init_text int create(struct process *p)
{
    u16 spawner = sys_process(p->domain->conf)->spawner;
    if (!spawner)
        return 0;
    struct slot *s = &slots[p->domain->id];
    s->text = pages_alloc(PROCESS_STRINGS / PAGE_SIZE);
    s->head = pages_alloc(SPAWN_HEAD / PAGE_SIZE);
    if (!s->text || !s->head || pipes_make(p->domain->id, spawner - 1u))
        return 0; /* it is no slot, and has no program */
    s->owner = (u8)(spawner - 1u);
    s->process = p;
    s->image.strings = s->text;
    s->image.console = s->owner;
    p->image = &s->image;
    return 0;
}

/* Its handles have the order in which they were listed: nobody else gives it any. */
static int begin(struct process *p)
{
    const struct slot *s = &slots[p->domain->id];
    struct handles *of = handles_of(p);
    unsigned long flags = spin_lock_irqsave(&of->lock);
    for (unsigned i = 0; s->process && i < s->n_given; i++)
        handle_add(p, &s->given[i]);
    spin_unlock_irqrestore(&of->lock, flags);
    for (unsigned i = 0; s->process && i < s->n_given; i++)
        if (s->given[i].object->kind == HANDLE_PIPE)
            pipe_hold(&s->given[i], p->domain->id);
    return 0;
}

/* What the process has started ends with it. */
static int end(struct process *p)
{
    for (struct slot *s = slots; s < slots + n_domains; s++) {
        if (!s->process || s->owner != p->domain->id)
            continue;
        unsigned long flags = spin_lock_irqsave(&lock);
        bool runs = s->state == SLOT_RUNS;
        u32 child = s->child;
        if (runs)
            s->state = SLOT_LEFT;
        spin_unlock_irqrestore(&lock, flags);
        if (runs)
            end_life(s, child, "the process that started it has ended");
    }
    return 0;
}

PROCESS_PART(slots, .check = check,
             .at = { [PROCESS_CREATES] = create, [PROCESS_BEGINS] = begin, [PROCESS_ENDS] = end });

static __init_text void slots_init(void) { domain_tell_stops(stopped); }
INIT_CALL(slots_init);
