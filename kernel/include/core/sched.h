/* SPDX-License-Identifier: MIT */
/*
 * core/sched.h - the run queues of a core and its windows.
 *
 * This is MetalSVM's scheduler (paper, section V): a FIFO queue for each priority, a 32-bit map of the queues that are
 * not empty, one bit-scan instruction to find the next thread. A core has one such set for each *group*: group 0 for
 * all threads without a window on this core, and one group for each domain with windows. The major frame says which
 * group may run when (ARINC 653). Without a frame there is only group 0. A group does not run outside its windows, even
 * if the core is idle. Time without a window belongs to group 0.
 *
 * The run-queue lock is held across a context switch; the thread that runs next releases it. So a thread that another
 * core finds READY, BLOCKED or DEAD under that lock does not use its stack any more.
 */
#ifndef AMALGAM_CORE_SCHED_H
#define AMALGAM_CORE_SCHED_H

#include <core/lock.h>
#include <core/thread.h>

#ifndef SCHED_WINDOWS /* the build says it of a kernel without windows (NO_WINDOWS) */
#define SCHED_WINDOWS 32
#endif
#define SCHED_GROUPS   (SCHED_WINDOWS ? 8 : 1)
#define SCHED_SEGMENTS (2 * SCHED_WINDOWS + 1) /* windows and the gaps between them */
#define SCHED_DOMAINS  16
#define SCHED_SLICE_NS 10000000ull /* length of a turn among threads of equal priority */
/* As a slice's end: it has come, and a switch is due. Later than any time, so that no alarm is set for it. */
#define SLICE_OVER ((ticks_t)-2 << KIND_SHIFT)
#define KIND_SHIFT (64 - 8 * sizeof(long))

struct runqueue {
    u32 map; /* bit p: queue[p] is not empty */
    struct list queue[PRIO_LEVELS];
    struct list timer_sets; /* of its domains, those that have a timer (core/timer.h) */
};

struct window {
    ticks_t start; /* from the beginning of the major frame */
    ticks_t length;
    u16 group;
};

struct frame {      /* the major frame of one core */
    ticks_t length; /* 0: no frame, group 0 has the core */
    ticks_t epoch;  /* when a major frame began */
    unsigned n;
    unsigned current;
    ticks_t current_end;                  /* end of the current window, absolute */
    struct window window[SCHED_SEGMENTS]; /* sorted, without gaps */
};

struct sched {
    struct spinlock lock;
    bool resched; /* a switch is due at the next interrupt exit */
    struct thread *running;
    struct thread *idle;
    struct runqueue *active; /* the group of the current window */
    struct fpu *fpu;         /* owner of the extended state in the registers; NULL: no owner */
    ticks_t slice;           /* length of a turn */
    ticks_t slice_end;       /* TICKS_NEVER while no equal waits; or SLICE_OVER */
    struct frame frame;
    struct runqueue group[SCHED_GROUPS];
    u8 group_of[SCHED_DOMAINS];    /* the group of each domain on this core */
    unsigned long window_switches; /* a word: other cores read it without the lock */
    unsigned long window_late_max; /* largest delay of a window's start so far */
};

/* Three kinds of a slice's end, told apart by one word of it, where that has 32 bits the upper one. */
static inline unsigned long slice_kind(ticks_t slice_end) { return (unsigned long)(slice_end >> KIND_SHIFT); }
#define KIND_OVER (slice_kind(SLICE_OVER)) /* less: a time; more: TICKS_NEVER */

struct cpu;

/* Initialize group 0 of core `c` and its idle thread, which becomes whatever code calls schedule() first on `c`. Both
 * records are zero. */
void sched_init(struct cpu *c);
/* Initialize another group, before a domain has it. */
void sched_group_init(struct sched *s, unsigned group);
/* Install a major frame that begins at `epoch`. The windows are sorted, disjoint, within `length`, at most
 * SCHED_WINDOWS, with groups below SCHED_GROUPS (the check of the table guarantees it). Core `c` does not run threads
 * of these groups yet. */
void sched_set_frame(struct cpu *c, const struct window *w, unsigned n, ticks_t length, ticks_t epoch);
/* Remove the frame of core `c` and its domains' groups. Threads of these groups have all ended. Thread context. */
void sched_clear_frame(struct cpu *c);
/* Switch to the most urgent ready thread. A preempted thread keeps its place before its equals. Interrupts must be
 * off. */
void schedule(void);
/* Switch if a wake-up made a switch due. Code that calls thread_wake() with interrupts off in thread context calls
 * this after it has turned them on. Thread context, interrupts on, no lock held. */
void sched_poll(void);
/* Returns when the current window of this core was due to begin; 0 without a frame. Any context. */
ticks_t sched_window_began(void);
/* Alarm interrupt: move to the window that `now` lies in; end the slice if `now` has reached its end. window.c,
 * sched_wake.c. */
void window_advance(struct cpu *c, ticks_t now);
void sched_tick(struct cpu *c, ticks_t now);
/* Set the hardware's alarm to the earliest deadline of this core. Interrupts must be off. */
void alarm_refresh(struct cpu *c);

#endif
