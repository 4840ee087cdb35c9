/* SPDX-License-Identifier: MIT */
/* task.c - starts and stops native tasks; see task.h. */
#include <task/task.h>

#include <core/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <stdarg.h>
#include <task/system_part.h>

extern const struct task_app __start_task_apps[], __stop_task_apps[];

static struct task tasks[SYS_MAX_DOMAINS];

bool task_stopping(void) { return READ_ONCE(thread_self()->stop); }

void task_print(const struct task *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vprintk(t->domain->id, fmt, ap);
    va_end(ap);
}

/* Insertion sort: short, and fast for 2,000 values that are nearly equal. */
void task_sort(u32 *v, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        u32 x = v[i];
        unsigned j = i;
        for (; j && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static void body(void *which)
{
    struct domain *d = thread_self()->domain;
    struct task *t = d->impl;
    t->app->run(t, (unsigned)(uintptr_t)which);
    domain_thread_gone(d);
}

/* The application with this number, or NULL. */
static __init_text const struct task_app *find_app(u64 number)
{
    for (const struct task_app *a = __start_task_apps; a < __stop_task_apps; a++)
        if (a->number == number)
            return a;
    return NULL;
}

static __init_text int create(struct domain *d)
{
    struct task *t = &tasks[d->id];
    const struct task_app *app = find_app(sys_task(d->conf)->program);
    if (!app)
        return -EINVAL;
    *t = (struct task){ .domain = d, .app = app };
    d->impl = t;
    return 0;
}

static void discard_threads(struct task *t)
{
    while (t->n)
        thread_discard(t->thread[--t->n]);
}

static int tasks_start(struct domain *d)
{
    struct task *t = d->impl;
    while (t->n)
        thread_join(t->thread[--t->n]);
    unsigned n = t->app->threads ? t->app->threads : d->conf->n_vcpus;
    for (unsigned i = 0; i < n; i++) {
        unsigned core = d->conf->core[t->app->threads ? 0 : i];
        struct thread *thread =
            thread_create(d->conf->name, core, d->conf->prio, body, (void *)(uintptr_t)i, d, t->app->fpu);
        if (!thread) {
            discard_threads(t);
            return -ENOMEM;
        }
        t->thread[t->n++] = thread;
    }
    d->live = n;
    unsigned long flags =
        irq_save(); /* start them together: the first one may be more urgent than this thread and wait for the others */
    for (unsigned i = 0; i < n; i++)
        thread_start(t->thread[i]);
    irq_restore(flags);
    sched_poll();
    return 0;
}

static void kill(struct domain *d)
{
    struct task *t = d->impl;
    for (unsigned i = 0; i < t->n; i++) {
        WRITE_ONCE(t->thread[i]->stop, true);
        thread_hurry(t->thread[i], thread_self()->prio);
        thread_wake(t->thread[i]);
    }
}

static void stats(struct domain *d)
{
    const struct task *t = d->impl;
    printk("%s: built-in task %s\n", d->conf->name, t->app->name);
}

static const struct domain_ops ops = {
    .create = create, .start = tasks_start, .kill = kill, .stats = stats, .destroy = task_destroy
};

static __init_text void task_init(void) { domain_register_kind(SYS_KIND_TASK, &ops); }
INIT_CALL(task_init);
