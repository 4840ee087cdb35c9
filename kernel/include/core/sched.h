/* SPDX-License-Identifier: MIT */
/*
 * core/sched.h - the run queues of a core and the windows laid over them.
 *
 * MetalSVM's scheduler (paper, section V): per priority one FIFO queue, a 32-bit
 * map of the non-empty ones, one bit-scan instruction to find the next thread.
 * A core has one such set per *group*: group 0 for everything that has no window
 * of its own on this core, one group for each domain that has.  The major frame
 * says which group may run when (ARINC 653); without a frame only group 0 exists.
 * Outside its windows a group does not run, however idle the core is; time that no
 * window claims belongs to the shared group 0.
 *
 * The run-queue lock is held across a context switch and released by whoever runs
 * next on the same core: a thread that another core finds READY, BLOCKED or DEAD under that
 * lock has left its stack.
 */
#ifndef AMALGAM_CORE_SCHED_H
#define AMALGAM_CORE_SCHED_H

#include <core/lock.h>
#include <core/thread.h>

#define SCHED_GROUPS   8
#define SCHED_WINDOWS  32
#define SCHED_SEGMENTS (2 * SCHED_WINDOWS + 1) /* windows and the gaps between them */
#define SCHED_DOMAINS  16
#define SCHED_SLICE_NS 10000000ull /* round robin among equals */

struct runqueue {
    u32 map; /* bit p: queue[p] is not empty */
    struct list queue[PRIO_LEVELS];
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
    ticks_t current_end;                  /* absolute end of the current window */
    struct window window[SCHED_SEGMENTS]; /* without gaps */
};

struct sched {
    struct spinlock lock;
    bool resched;    /* a switch is due at the next interrupt exit */
    bool slice_over; /* the running thread had its turn: it goes behind its equals */
    struct thread *running;
    struct thread *idle;
    struct runqueue *active; /* group that the current window admits */
    struct fpu *fpu;         /* whose extended state is in the registers; NULL: nobody's */
    ticks_t slice;           /* length of a turn */
    ticks_t slice_end;       /* TICKS_NEVER while no equal waits */
    struct frame frame;
    struct runqueue group[SCHED_GROUPS];
    u8 group_of[SCHED_DOMAINS];    /* the group of each domain on this core */
    unsigned long window_switches; /* words: other cores read them without the lock */
    unsigned long window_late_max; /* largest delay of a window's start so far */
};

struct cpu;

/* Empty queues and an idle thread whose context is whatever first calls schedule() on core `c`. */
void sched_init(struct cpu *c);
/* Install a major frame; windows sorted, disjoint, within length, at most SCHED_WINDOWS (the table's check guarantees
 * it); group numbers below SCHED_GROUPS. Before core `c` runs threads of these groups; takes effect at `epoch`. */
void sched_set_frame(struct cpu *c, const struct window *w, unsigned n, ticks_t length, ticks_t epoch);
/* Core `c` has no frame and its domains no groups any more; none of their threads is left. Thread context. */
void sched_clear_frame(struct cpu *c);
/* Switch to the best runnable thread. Interrupts disabled; a preempted thread keeps its place before its equals. */
void schedule(void);
/* Thread context, interrupts on, no lock held: give way if a wake-up made that due. Whoever calls thread_wake() with
 * interrupts off in thread context polls when it has turned them on. */
void sched_poll(void);
/* The time at which the present window of this core was due to begin; 0 where no frame is. Any context. */
ticks_t sched_window_began(void);
/* Alarm interrupt: pass window edges and the end of the slice that `now` has reached. window.c, sched.c. */
void window_advance(struct cpu *c, ticks_t now);
void sched_tick(struct cpu *c, ticks_t now);
/* Put the hardware alarm to the earliest deadline of this core / no later than `deadline`. Interrupts disabled.
 * An alarm is never put off when a deadline goes away: one that finds nothing to do costs less than reprogramming
 * the timer at every switch. */
void alarm_refresh(struct cpu *c);
void alarm_before(struct cpu *c, ticks_t deadline);

#endif
