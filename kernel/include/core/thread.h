/* SPDX-License-Identifier: MIT */
/*
 * core/thread.h - what is scheduled: a kernel stack, a priority, a domain.
 *
 * A vCPU is a thread whose body runs a guest; a native task is a thread whose
 * body is the task.  A thread is bound to one core for life (MetalSVM's model:
 * one kernel a core); balancing is the system file's job, not the kernel's.
 * 32 priorities, 31 the most urgent; equal ones take turns (round robin).
 */
#ifndef AMALGAM_CORE_THREAD_H
#define AMALGAM_CORE_THREAD_H

#include <hal/context.h>
#include <core/timer.h>
#include <list.h>

#define PRIO_LEVELS 32
#define PRIO_IDLE   0
#define PRIO_NORMAL 8
#define PRIO_HIGH   24
#define PRIO_MAX    31

enum thread_state { THREAD_READY, THREAD_RUNNING, THREAD_BLOCKED, THREAD_DEAD };

struct domain;
struct runqueue;

struct thread {
    struct context ctx;
    struct list link;    /* run queue */
    struct runqueue *rq; /* its group's queues on its core */
    u8 prio;
    u8 state; /* enum thread_state; guarded by the core's run-queue lock */
    u16 cpu;
    u16 group;         /* run queue group on its core: 0 shared, else its domain's window group */
    bool wakeup;       /* a wake-up came before the block (no lost wake-up) */
    bool timed_out;    /* the last block ended by its deadline */
    bool called;       /* its turn came in the queue that it waits in (core/wait.h) */
    bool stop;         /* asked to end; sleeps and waits return early */
    bool ended;        /* in thread_exit(), past the wake-up of its joiner */
    ticks_t run_total; /* ticks it had the core; while it has it, less the time since which: below zero */
    unsigned long switches;
    struct fpu *fpu;       /* NULL: touches no extended state */
    struct domain *domain; /* on whose behalf; NULL: the kernel's own */
    struct thread *joiner;
    struct list wait_link; /* in a wait queue, guarded by that queue's lock */
    struct list all;       /* in the list of all threads */
    struct timer timer;    /* sleep, time-outs */
    void *stack;
    void (*entry)(void *);
    void *arg;
    char name[16];
};

/* Create on core `cpu`, not yet runnable. `fpu`: give it extended state; it starts in the reset state.
 * NULL when memory is used up or `cpu` or `prio` is out of range. Thread context or boot. */
struct thread *thread_create(const char *name, unsigned cpu, unsigned prio, void (*entry)(void *), void *arg,
                             struct domain *d, bool fpu);
/* Make a created thread runnable. Any context. */
void thread_start(struct thread *t);
/* End the calling thread; its stack is freed by whoever joins it. */
__noreturn void thread_exit(void);
/* Wait for `t` to end and free it. Thread context; one joiner a thread. */
void thread_join(struct thread *t);
/* Free a thread that was created and never started. */
void thread_discard(struct thread *t);
/* A core's idle thread asks all others of this core, which nobody joins, to end, and frees those that have. True: none
 * is left. Interrupts off. */
bool threads_end(unsigned cpu);
struct thread *thread_self(void);

void thread_yield(void);
/* Sleep until woken or `deadline` (TICKS_NEVER: no limit). 0, or -ETIMEDOUT. Interrupts may be off and stay so.
 * Callers loop on their condition: a wake-up remembered from before may end the block at once. */
int thread_block(ticks_t deadline);
/* Make runnable; a wake of a thread that is not blocked is remembered for its next block. Any context, any core.
 * With interrupts on it switches at once to a more urgent thread. */
void thread_wake(struct thread *t);
/* The same for the thread that `*at` names, all of which are of core `cpu`; nothing if that is NULL. For who may come
 * when the thread has ended: between a look at `*at` and a use of the record nobody can free it, if its owner takes it
 * away by ... */
void thread_wake_at(struct thread *const *at, unsigned cpu);
/* ... this, before it joins or discards it. What was there; afterwards it is NULL. */
struct thread *thread_take(struct thread **at, unsigned cpu);
void thread_sleep_ns(u64 ns);
/* -ERANGE; takes effect at once. */
int thread_set_prio(struct thread *t, unsigned prio);
/* Copy the record of the n-th thread for a report; false: there are not that many. */
bool thread_nth(unsigned n, struct thread *copy);

#endif
