/* SPDX-License-Identifier: MIT */
/*
 * remote.c - calls of process.yaml as requests; see process/remote.h.
 *
 * A short call is served at once. A long one is begun when the master serves its request first, and its request stays
 * pending until the thread beside the master has executed it: one after the other, in the order of their arrival. That
 * thread is on the master's core, so a list that is changed with interrupts off is all that the two share. A caller
 * that has to stop is seen by the call itself (thread.stop), which then ends before long; until it has, its request
 * stays.
 *
 * The master sleeps as soon as it has nothing to do and a long call is due, in place of giving its turn first as it
 * does else; so do the callers of long calls. But callers may keep the master busy without end, and it is the more
 * urgent one. So it sleeps for a TURN each time that it has looked at a long call LOOKS times in vain, which it does
 * after each request that it has finished.
 */
#include <core/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <core/thread.h>
#include <hal/time.h>
#include <process/remote.h>

#include "master.h"

#define LOOKS 16    /* requests of others */
#define TURN  4000u /* ns */

struct remote {
    struct request request __aligned(NOC_LINE);
    struct process_thread *thread;
    /* of a long call */
    s64 (*call)(struct request *r);
    struct list link; /* in the list of those that wait for the worker */
    s64 result;
    u32 looks;
    bool begun, done;
};

static struct list waiting = LIST_INIT(waiting); /* the master's core; interrupts off */
static struct thread *worker;

static inline struct remote *remote_of(struct request *r) { return container_of(r, struct remote, request); }

struct process_thread *remote_thread(struct request *r) { return remote_of(r)->thread; }

/* Fill what each call has. A record is padded to whole lines, which an initializer would clear, too. */
static inline void fill(struct remote *c, struct process_thread *t, s64 (*serve)(struct request *r))
{
    c->request.drop = NULL;
    c->request.cancelled = REQUEST_STAYS;
    c->request.serve = serve;
    c->thread = t;
}

s64 remote_call(struct process_thread *t, s64 (*serve)(struct request *r))
{
    struct remote c;
    fill(&c, t, serve);
    return request_run(&c.request);
}

static s64 serve_long(struct request *r)
{
    struct remote *c = remote_of(r);
    if (!c->begun) {
        c->begun = true;
        irq_disable();
        list_push_back(&waiting, &c->link);
        remote_due = true;
        irq_enable();
        thread_wake(worker);
    }
    if (READ_ONCE(c->done))
        return c->result;
    if (++c->looks % LOOKS == 0)
        thread_block(time_after(TURN));
    return REQUEST_PENDING;
}

/* A call that is under way is not given up: for a signal it goes on, and an end waits for it. */
static bool drop_long(struct request *r, bool ends) { return ends && remote_of(r)->done; }

s64 remote_long_call(struct process_thread *t, s64 (*serve)(struct request *r))
{
    struct remote c;
    fill(&c, t, serve_long);
    c.request.drop = drop_long;
    c.call = serve;
    c.looks = 0;
    c.begun = c.done = false;
    irq_disable();
    s64 result = request_run_long(&c.request);
    irq_enable();
    return result;
}

/* The record is on its caller's stack, and gone as soon as it is done and the master has looked. */
static void remote_work(void *arg)
{
    for (;;) {
        irq_disable();
        while (!(remote_due = !list_empty(&waiting)))
            thread_block(TICKS_NEVER);
        struct remote *c = list_entry(waiting.next, struct remote, link);
        list_remove(&c->link);
        irq_enable();
        c->result = c->call(&c->request);
        WRITE_ONCE(c->done, true);
        request_again();
        master_wake(); /* it may be asleep for the worker */
    }
}

/* Below the master, which serves others meanwhile, and the control console; above programs. */
static __init_text void remote_init(void)
{
    worker = thread_create("remote", MASTER, PRIO_MAX - 1, remote_work, NULL, NULL, false);
    if (!worker)
        panic("cluster: no memory for the thread of long calls");
    thread_start(worker);
}
INIT_CALL(remote_init);
