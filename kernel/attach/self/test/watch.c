/* SPDX-License-Identifier: MIT */
/* watch.c - see watch.h. */
#include "watch.h"

#include <core/cpu.h>
#include <core/wait.h>
#include <errors.h>

#define SLEEP_NS 300000
#define HOP_NS   100000
#define PRIO     (PRIO_HIGH - 1)

static struct {
    bool end;
    ticks_t clock; /* with the token */
    unsigned n;    /* runners */
    struct thread *thread[2 * MAX_CPUS + 1];
    unsigned threads;
    struct semaphore token[MAX_CPUS + 1];
    struct watch_report report;
} watch;

static void add(u64 *counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }

static void sleeper(void *arg)
{
    u64 length = SLEEP_NS + (uintptr_t)arg * 17000; /* cores keep out of step */
    while (!READ_ONCE(watch.end)) {
        ticks_t due = time_now() + time_from_ns(length);
        thread_sleep_ns(length);
        ticks_t now = time_now();
        if (now < due)
            add(&watch.report.early);
        else if (now - due > time_from_ns(WATCH_LATE_NS))
            add(&watch.report.late);
        add(&watch.report.sleeps);
    }
}

/* The token's time passes with it: a core whose clock is behind the last one's sees that. */
static void runner(void *arg)
{
    unsigned me = (unsigned)(uintptr_t)arg;
    while (!READ_ONCE(watch.end)) {
        if (sem_wait(&watch.token[me], time_now() + time_from_ns(WATCH_LATE_NS))) {
            add(&watch.report.lost);
            continue;
        }
        ticks_t now = time_now();
        if (now < watch.clock)
            add(&watch.report.backwards);
        watch.clock = now;
        add(&watch.report.hops);
        thread_sleep_ns(HOP_NS);
        sem_post(&watch.token[(me + 1) % watch.n]);
    }
    sem_post(&watch.token[(me + 1) % watch.n]); /* the next one waits no longer */
}

static int start(const char *name, unsigned cpu, void (*body)(void *), unsigned arg)
{
    struct thread *t = thread_create(name, cpu, PRIO, body, (void *)(uintptr_t)arg, NULL, false);
    if (!t)
        return -ENOMEM;
    watch.thread[watch.threads++] = t;
    thread_start(t);
    return 0;
}

int watch_begin(void)
{
    watch.end = false;
    watch.threads = 0;
    watch.clock = 0;
    watch.report = (struct watch_report){ 0 };
    watch.n = MAX(n_cpus, 2u); /* one core: between two threads */
    int err = 0;
    for (unsigned i = 0; i < watch.n; i++)
        sem_init(&watch.token[i], i == 0);
    for (unsigned i = 0; i < watch.n && !err; i++)
        err = start("runner", i % n_cpus, runner, i);
    for (unsigned i = 0; i < n_cpus && !err; i++)
        err = start("sleeper", i, sleeper, i);
    if (err)
        watch_end(NULL);
    return err;
}

void watch_end(struct watch_report *r)
{
    WRITE_ONCE(watch.end, true);
    while (watch.threads)
        thread_join(watch.thread[--watch.threads]);
    if (r)
        *r = watch.report;
}
