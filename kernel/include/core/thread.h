/* SPDX-License-Identifier: MIT */
/*
 * core/thread.h - threads: a kernel stack, a priority, a domain.
 *
 * A vCPU is a thread that runs a guest; a native task is a thread that runs the task. A thread stays on one core for
 * life, as in MetalSVM (one kernel a core): the system file balances cores, not the kernel. There are 32 priorities, 31
 * is the most urgent. Equal priorities take turns (round robin).
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

/* The last one is no thread's: a walk's place among all of them (thread_next). */
enum thread_state { THREAD_READY, THREAD_RUNNING, THREAD_BLOCKED, THREAD_DEAD, THREAD_PLACE };

struct domain;
struct runqueue;

struct thread {
    struct context ctx;
    struct list link;    /* run queue */
    struct runqueue *rq; /* the queues of its group on its core */
    u8 prio;
    u8 least; /* the priority is not set below this (thread_hurry) */
    u8 state; /* enum thread_state; guarded by the core's run-queue lock */
    u16 cpu;
    u16 group;      /* run-queue group on its core: 0 is shared, others are its domain's window group */
    bool wakeup;    /* a wake-up came before the block, so that it is not lost */
    bool timed_out; /* the last block ended by its deadline */
    bool called;    /* the wait queue that it waits in woke it (core/wait.h) */
    bool stop;      /* it was asked to end; sleeps and waits return early */
    bool signal;    /* its program has a signal to take; what can be begun again returns -EINTR */
    bool ended;     /* thread_exit() has woken its joiner */
    /* ticks that it had the core; while it has the core: these minus the time when it got the core, so below zero */
    ticks_t run_total;
    /* 1, and 2 more each time that it gets the core: odd, so never 0, which means something else to hal/user.h, also
     * when the number comes round */
    unsigned long turns;
    struct fpu *fpu;       /* NULL: it uses no extended state */
    struct domain *domain; /* the domain that it works for; NULL: the kernel */
    struct thread *joiner;
    struct list wait_link; /* in a wait queue; guarded by that queue's lock */
    struct list all;       /* in the list of all threads */
    struct timer timer;    /* sleep, time-outs */
    void *stack;
    void (*entry)(void *);
    void *arg;
    char name[16];
    /* ticks of turns that were cut short while an equal waited, less a turn each time that it went behind it */
    u32 had;
};

/* Create a thread on core `cpu`; thread_start() makes it runnable. `fpu`: it gets extended state, in the reset state.
 * Returns NULL when memory is used up or when `cpu` or `prio` is out of range. Thread context or boot. */
struct thread *thread_create(const char *name, unsigned cpu, unsigned prio, void (*entry)(void *), void *arg,
                             struct domain *d, bool fpu);
/* Make a created thread runnable. Any context. */
void thread_start(struct thread *t);
/* End the calling thread. thread_join() frees its record and its stack. */
__noreturn void thread_exit(void);
/* Wait until `t` has ended, then free it. Thread context; one joiner for each thread. */
void thread_join(struct thread *t);
/* Free a thread that was created and never started. */
void thread_discard(struct thread *t);
/* For a core's idle thread: ask all other threads of this core, which have no joiner, to end, and free those that
 * have ended. Returns true when none is left. Interrupts must be off. */
bool threads_end(unsigned cpu);
struct thread *thread_self(void);
/* Returns how often it got the core: modulo half of what a word holds. */
static inline unsigned long thread_switches(const struct thread *t) { return t->turns >> 1; }

/* Returns what a total of `run_total` is up to now. Below zero it means that the thread has the core; its state does
 * not tell, as an idle thread's never changes. */
static inline ticks_t thread_run_time(ticks_t total) { return (s64)total < 0 ? total + time_now() : total; }

void thread_yield(void);
/* thread_block() without a deadline, for the shortest paths: interrupts are off, and stay off. */
void thread_block_here(void);
/* Block until a wake-up or `deadline` (TICKS_NEVER: no limit). Returns 0 or -ETIMEDOUT. A wake-up that was remembered
 * ends the block at once, so callers loop on their condition. Interrupts may be off and stay off. */
int thread_block(ticks_t deadline);
/* Wake a thread. If it is not blocked the wake-up is remembered for its next block. With interrupts on this switches
 * at once to a more urgent thread. Any context, any core. */
void thread_wake(struct thread *t);
/* The same for the shortest paths: interrupts are off, and stay off. */
void thread_wake_here(struct thread *t);
/* Wake the thread that `*at` names, if it is not NULL. All threads that `*at` names are on core `cpu`. For a caller
 * that may come after the thread has ended: the record cannot be freed between the read of `*at` and its use,
 * provided that its owner clears `*at` by thread_take() before it joins or discards the thread. */
void thread_wake_at(struct thread *const *at, unsigned cpu);
/* Set `*at` to NULL and return what it was. */
struct thread *thread_take(struct thread **at, unsigned cpu);
void thread_sleep_ns(u64 ns);
/* Change the priority, with effect at once. Returns 0 or -ERANGE. */
int thread_set_prio(struct thread *t, unsigned prio);
/* Set the priority of all threads of a domain, one a hold of the lock. Thread context. */
void threads_set_prio(const struct domain *d, unsigned prio);
/* The thread is to end, and somebody of priority `prio` waits for that: let it run at no less until it has ended, so
 * that no thread between the two keeps it from ending. Any context. */
void thread_hurry(struct thread *t, unsigned prio);
/* Begin a walk over all threads. Its place in their list is such a record; only these words of it are used. */
static inline void thread_walk(struct thread *place)
{
    place->all.next = NULL;
    place->state = THREAD_PLACE;
    place->cpu = 0xffff; /* of no core */
}
/* Copy the record of a walk's next thread, for a report. Returns false after the last one; until then `place` is in the
 * list, so call it until then. However many threads there are, the lock is held for one of them. Thread context. */
bool thread_next(struct thread *place, struct thread *copy);

#endif
