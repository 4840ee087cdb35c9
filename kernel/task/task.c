/* SPDX-License-Identifier: MIT */
/* task.c - starts and stops native tasks; see task.h. */
#include "task.h"

#include <core/console.h>
#include <core/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <stdarg.h>
#include <task/apps.h>

static const struct task_app *const apps[APP_COUNT] = {
    [APP_CONTEXT_SWITCH] = &bench_switch_app,
    [APP_JACOBI] = &jacobi_app,
    [APP_FAULT] = &fault_app,
    [APP_OVERFLOW] = &overflow_app,
};
static struct task tasks[SYS_MAX_DOMAINS];

bool task_stopping(void) { return READ_ONCE(thread_self()->stop); }

void task_print(const struct task *t, const char *fmt, ...)
{
    char line[160];
    va_list ap;
    va_start(ap, fmt);
    int n = kvsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    console_write(t->domain->id, line, MIN((size_t)n, sizeof(line) - 1));
}

/* Shell's, with halved gaps: short, and 2,000 values are soon sorted. */
void task_sort(u32 *v, unsigned n)
{
    for (unsigned gap = n / 2; gap; gap /= 2) {
        for (unsigned i = gap; i < n; i++) {
            u32 x = v[i];
            unsigned j = i;
            for (; j >= gap && v[j - gap] > x; j -= gap)
                v[j] = v[j - gap];
            v[j] = x;
        }
    }
}

static void body(void *arg)
{
    struct task_thread *me = arg;
    struct domain *d = me->task->domain;
    me->task->app->run(me->task, (unsigned)(me - me->task->thread));
    domain_thread_gone(d);
}

static __init_text int create(struct domain *d)
{
    struct task *t = &tasks[d->id];
    if (d->conf->entry >= ARRAY_SIZE(apps))
        return -EINVAL;
    *t = (struct task){ .domain = d, .app = apps[d->conf->entry] };
    d->impl = t;
    return 0;
}

static void forget_threads(struct task *t)
{
    while (t->n)
        thread_discard(t->thread[--t->n].thread);
}

static int start(struct domain *d)
{
    struct task *t = d->impl;
    while (t->n)
        thread_join(t->thread[--t->n].thread);
    unsigned n = t->app->threads ? t->app->threads : d->conf->n_vcpus;
    for (unsigned i = 0; i < n; i++) {
        unsigned core = d->conf->core[t->app->threads ? 0 : i];
        struct task_thread *tt = &t->thread[i];
        tt->task = t;
        tt->thread = thread_create(d->conf->name, core, d->conf->prio, body, tt, d, t->app->fpu);
        if (!tt->thread) {
            forget_threads(t);
            return -ENOMEM;
        }
        t->n++;
    }
    d->live = n;
    unsigned long flags = irq_save(); /* together: the first may be more urgent than we and wait for the others */
    for (unsigned i = 0; i < n; i++)
        thread_start(t->thread[i].thread);
    irq_restore(flags);
    sched_poll();
    return 0;
}

static void kill(struct domain *d)
{
    struct task *t = d->impl;
    for (unsigned i = 0; i < t->n; i++) {
        WRITE_ONCE(t->thread[i].thread->stop, true);
        thread_wake(t->thread[i].thread);
    }
}

static void stats(struct domain *d)
{
    const struct task *t = d->impl;
    printk("%s: built-in task %s\n", d->conf->name, t->app->name);
}

static const struct domain_ops ops = {
    .create = create, .start = start, .kill = kill, .stats = stats, .destroy = task_destroy
};

static __init_text void task_init(void) { domain_register_kind(SYS_KIND_NATIVE, &ops); }
INIT_CALL(task_init);
