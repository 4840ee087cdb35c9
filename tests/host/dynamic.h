/* SPDX-License-Identifier: MIT */
/*
 * dynamic.h - a fake machine on which systems and cores come and go, for the unit test and the fuzzer: the real core/
 * with its control console; domains of a kind that takes some pages and runs a thread a vCPU.
 */
#ifndef AMALGAM_TESTS_DYNAMIC_H
#define AMALGAM_TESTS_DYNAMIC_H

#include <core/channel.h>
#include <core/console.h>
#include <core/cores.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <core/monitor.h>
#include <core/system.h>
#include <core/trace.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "sample_system.h"

/* --- domains --------------------------------------------------------------------------------------- */

struct fake_domain {
    u64 *page[4];
    struct thread *thread[SYS_MAX_VCPUS];
};

static unsigned creations, destructions, starts;
static int create_error; /* the domain that cannot be created, -1: none */

static int fake_create(struct domain *d)
{
    struct fake_domain *f = page_alloc();
    if (!f)
        return -ENOMEM;
    d->impl = f;
    creations++;
    for (unsigned i = 0; i < ARRAY_SIZE(f->page); i++)
        if (!(f->page[i] = page_alloc()))
            return -ENOMEM;
    return (int)d->id == create_error ? -ENOMEM : 0;
}

static void fake_vcpu(void *arg)
{
    struct domain *d = arg;
    struct fake_domain *f = d->impl;
    while (!thread_self()->stop) {
        ++*f->page[0];
        thread_block(TICKS_NEVER);
    }
    domain_thread_gone(d);
}

static void fake_join(struct fake_domain *f)
{
    for (unsigned i = 0; i < SYS_MAX_VCPUS; i++)
        if (f->thread[i])
            thread_join(f->thread[i]);
    memset(f->thread, 0, sizeof(f->thread));
}

static int fake_start(struct domain *d)
{
    struct fake_domain *f = d->impl;
    unsigned n = d->conf->n_vcpus;
    fake_join(f);
    starts++;
    for (unsigned i = 0; i < n; i++) {
        f->thread[i] = thread_create("vcpu", d->conf->core[i], d->conf->prio, fake_vcpu, d, d, true);
        if (f->thread[i])
            continue;
        while (i--) {
            thread_discard(f->thread[i]);
            f->thread[i] = NULL;
        }
        return -ENOMEM;
    }
    d->live = n;
    for (unsigned i = 0; i < n; i++)
        thread_start(f->thread[i]);
    return 0;
}

static void fake_kill(struct domain *d)
{
    struct fake_domain *f = d->impl;
    for (unsigned i = 0; i < d->conf->n_vcpus; i++) {
        f->thread[i]->stop = true;
        thread_wake(f->thread[i]);
    }
}

static int fake_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot) { return 0; }

static void fake_destroy(struct domain *d)
{
    struct fake_domain *f = d->impl;
    fake_join(f);
    destructions++;
    for (unsigned i = 0; i < ARRAY_SIZE(f->page); i++)
        page_clean(f->page[i]);
    d->impl = NULL;
    page_clean(f);
}

static const char *kind_refuses; /* what the check of the second domain's part says */
static const char *fake_check(const struct sys_header *h, const struct sys_domain *d)
{
    return d == sys_domain(h, 1) ? kind_refuses : NULL;
}

static const struct domain_ops fake_kind = { .check = fake_check,
                                             .create = fake_create,
                                             .start = fake_start,
                                             .kill = fake_kill,
                                             .share = fake_share,
                                             .destroy = fake_destroy };

/* --- the machine ------------------------------------------------------------------------------------ */

static unsigned ipis_until_it_left;
static jmp_buf core_left;

void hal_drop_init(bool first) {}
void hal_idle(void) { abort(); }
static void nothing(void *arg) {}
void hal_stack_trim(void (*everywhere)(void (*fn)(void *))) { everywhere(nothing); }

void hal_core_left(void)
{
    ipis_until_it_left = host_ipis_to[host_this_cpu->id];
    longjmp(core_left, 1);
}

/* What the idle thread of a core does until it leaves; false: it stays. */
static inline bool idle_leaves(unsigned id)
{
    struct cpu *c = cpus[id];
    bool left = setjmp(core_left);
    for (unsigned i = 0; !left && i < 10; i++) {
        host_this_cpu = c;
        host_irq_on = false;
        if (c->sched.resched)
            schedule();
        else if (!core_may_leave(c))
            break;
    }
    host_this_cpu = cpus[0] ? cpus[0] : c;
    return left;
}

static inline void dynamic_boot(unsigned cores)
{
    host_boot(cores);
    creations = destructions = starts = 0;
    create_error = -1;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    domain_register_kind(SYS_KIND_VM, &fake_kind);
    domain_register_kind(SYS_KIND_TASK, &fake_kind);
    monitor_start();
    host_settle();
    host_clear_out();
}

/* How many there are. */
static inline unsigned threads(void)
{
    struct thread place, t;
    unsigned n = 0;
    thread_walk(&place);
    while (thread_next(&place, &t))
        n++;
    return n;
}

/* A sound image in free memory. */
static inline paddr_t put_image(void)
{
    const u64 pages = sizeof(struct sample) >> PAGE_SHIFT;
    paddr_t pa = frames_alloc(pages, PAGE_SIZE);
    assert(pa != (paddr_t)-1);
    struct sample *s = phys_to_virt(pa);
    sample_make(s);
    memset(s->data, 0x5a, sizeof(s->data));
    frames_free(pa, pages);
    return pa;
}

/* --- the control console ---------------------------------------------------------------------------- */

static inline const char *find(const char *text, const char *part)
{
    while (*text && strncmp(text, part, strlen(part)))
        text++;
    return *text ? text : NULL;
}

static inline bool said(const char *part) { return find(host_out[1], part) != NULL; }

/* A line to the control console; the error it answered with. */
static inline int type_line(const char *text)
{
    char line[96];
    host_clear_out();
    int n = snprintf(line, sizeof(line), "\xff\xfe%s\n", text);
    host_type(1, line, (size_t)n);
    host_settle();
    for (unsigned ms = 0; ms < 100 && !find(host_out[1], "error: ") && !said("ok"); ms++)
        host_run(host_now + 1000000); /* who is to end does so in windows of its own */
    const char *error = find(host_out[1], "error: ");
    const char *number = error ? find(error, ": -") : NULL;
    assert(error || said("ok"));
    return number ? atoi(number + 2) : error ? -1 : 0;
}

static inline int load(paddr_t image, u64 size)
{
    char line[80];
    snprintf(line, sizeof(line), size ? "create 0x%lx %lu" : "create %lu", (unsigned long)image, (unsigned long)size);
    return type_line(line);
}

static inline int unload(void) { return type_line("destroy"); }

#endif
