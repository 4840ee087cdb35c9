/* SPDX-License-Identifier: MIT */
/* watch.c - see watch.h. */
#include "watch.h"

#include <core/cpu.h>
#include <core/wait.h>
#include <errors.h>

#define SLEEP_NS 300000
#define POLL_NS  200000
#define PRIO     (PRIO_HIGH - 1)

static struct {
    bool end, sleepers;
    unsigned n; /* runners */
    unsigned threads;
    struct thread *thread[2 * MAX_CPUS + 1];
    struct semaphore token[MAX_CPUS + 1];
    ticks_t clock; /* goes with the token */
    u64 hops, backwards;
    u64 sleeps[MAX_CPUS], early[MAX_CPUS];
} watch;

static void sleeper(void *arg)
{
    unsigned me = (unsigned)(uintptr_t)arg;
    u64 length = SLEEP_NS + me * 17000; /* cores keep out of step */
    while (!READ_ONCE(watch.end)) {
        ticks_t due = time_after(length);
        thread_sleep_ns(length);
        watch.early[me] += time_now() < due;
        WRITE_ONCE(watch.sleeps[me], watch.sleeps[me] + 1);
    }
}

/* The token's time passes with it: a core whose clock is behind the last one's sees that. */
static void runner(void *arg)
{
    unsigned me = (unsigned)(uintptr_t)arg;
    while (!READ_ONCE(watch.end)) {
        sem_wait(&watch.token[me], TICKS_NEVER);
        ticks_t now = time_now();
        watch.backwards += now < watch.clock;
        watch.clock = now;
        WRITE_ONCE(watch.hops, watch.hops + 1);
        if (watch.sleepers)
            thread_sleep_ns(SLEEP_NS);
        sem_post(&watch.token[(me + 1) % watch.n]);
    }
    sem_post(&watch.token[(me + 1) % watch.n]); /* the next one waits no longer */
}

static int watch_start(const char *name, unsigned cpu, void (*body)(void *), unsigned arg)
{
    struct thread *t = thread_create(name, cpu, PRIO, body, (void *)(uintptr_t)arg, NULL, false);
    if (!t)
        return -ENOMEM;
    watch.thread[watch.threads++] = t;
    thread_start(t);
    return 0;
}

int watch_begin(bool sleepers)
{
    watch.end = false;
    watch.sleepers = sleepers;
    watch.threads = 0;
    watch.clock = watch.hops = watch.backwards = 0;
    watch.n = MAX(n_cpus, 2u); /* one core: between two threads */
    int err = 0;
    for (unsigned i = 0; i < n_cpus; i++)
        watch.sleeps[i] = watch.early[i] = 0;
    for (unsigned i = 0; i < watch.n; i++)
        sem_init(&watch.token[i], i == 0);
    for (unsigned i = 0; i < watch.n && !err; i++)
        err = watch_start("runner", i % n_cpus, runner, i);
    for (unsigned i = 0; sleepers && i < n_cpus && !err; i++)
        err = watch_start("sleeper", i, sleeper, i);
    if (err)
        watch_end(NULL);
    return err;
}

bool watch_live(void)
{
    static u64 before[MAX_CPUS];
    u64 hops = READ_ONCE(watch.hops);
    ticks_t until = time_after(WATCH_PATIENCE_NS);
    for (unsigned i = 0; i < n_cpus; i++)
        before[i] = READ_ONCE(watch.sleeps[i]);
    bool live = false;
    while (!live && time_now() < until) {
        thread_sleep_ns(POLL_NS);
        live = READ_ONCE(watch.hops) - hops > watch.n;
        for (unsigned i = 0; watch.sleepers && i < n_cpus; i++)
            live &= READ_ONCE(watch.sleeps[i]) > before[i];
    }
    return live;
}

void watch_end(struct watch_report *r)
{
    WRITE_ONCE(watch.end, true);
    while (watch.threads)
        thread_join(watch.thread[--watch.threads]);
    if (!r)
        return;
    *r = (struct watch_report){ .hops = watch.hops, .backwards = watch.backwards };
    for (unsigned i = 0; i < n_cpus; i++) {
        r->sleeps += watch.sleeps[i];
        r->early += watch.early[i];
    }
}
