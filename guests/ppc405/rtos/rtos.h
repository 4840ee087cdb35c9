/* SPDX-License-Identifier: MIT */
/*
 * rtos.h - a small real-time kernel: fixed-priority preemptive tasks, a tick from the PIT,
 * counting semaphores with timeout, message queues.
 *
 * Everything is static; tasks run in privileged real mode with a stack of their own.  An
 * interrupt saves the whole state on the stack of the task that it hits; a task that
 * waits saves only what a call may not change (context.S).  Kernel functions run with
 * interrupts off from cpu_lock() to cpu_unlock().
 *
 * The same sources make two guests.  What touches privileged state is in cpu.c and
 * cpu_ops.inc of native/ (the instructions) or of para/ (hypercalls and the register
 * page, paper 2.3); the folder that is linked decides.
 *
 * Time: the tick handler asks the time base how many ticks passed, so that time goes on while
 * other guests' windows run, and nothing drifts.
 */
#ifndef RTOS_H
#define RTOS_H

#include <guest.h>

#define TASKS      8
#define PRIORITIES 8 /* 0 is most urgent */
#define STACK      4096
#define FOREVER    0xffffffffu

enum task_state { TASK_READY, TASK_SLEEPS, TASK_WAITS };

struct task {
    u32 sp;            /* first: context.S */
    struct task *next; /* in the ready list of its priority, or in a semaphore's */
    struct semaphore *waits_for;
    const char *name;
    u32 wake; /* tick, when it sleeps or waits with a timeout */
    u8 priority, state;
    bool timed, timed_out;
};

struct list {
    struct task *first, *last;
};

struct semaphore {
    u32 count;
    struct list waiting; /* by arrival */
};

struct queue { /* of words */
    u32 *words;
    u32 size, head, used;
    struct semaphore items, room;
};

/* --- task.c --- */
void rtos_init(u32 tick_us);
struct task *task_create(const char *name, u32 priority, void (*run)(void *), void *argument);
__noreturn void rtos_start(void); /* never comes back; priority PRIORITIES - 1 must have a task that never waits */
u32 rtos_ticks(void);
u32 rtos_tick_length(void); /* in units of the time base */
/* When tick `n` was due, in the time base. */
u32 rtos_tick_time(u32 n);
void task_sleep_until(u32 tick);

/* --- sync.c --- */
void semaphore_init(struct semaphore *s, u32 count);
bool semaphore_wait(struct semaphore *s, u32 timeout_ticks); /* false: timed out */
void semaphore_signal(struct semaphore *s);
void queue_init(struct queue *q, u32 *words, u32 size);
bool queue_send(struct queue *q, u32 word, u32 timeout_ticks);
bool queue_receive(struct queue *q, u32 *word, u32 timeout_ticks);

/* --- between task.c, sync.c and context.S; interrupts are off --- */
extern struct task *current, *next_task;
void make_ready(struct task *t);
void wait_in(struct semaphore *s, u32 timeout_ticks); /* until make_ready() */
void reschedule(void);                                /* go on with the most urgent one */
void list_append(struct list *l, struct task *t);
struct task *list_take(struct list *l);
void list_remove(struct list *l, struct task *t);
void context_switch(void);           /* context.S: current waits, next_task goes on */
__noreturn void context_start(void); /* context.S: next_task goes on */
void interrupt(u32 vector);          /* called by context.S */

/* --- native/cpu.c or para/cpu.c --- */
u32 cpu_lock(void); /* interrupts off; what cpu_unlock() wants */
void cpu_unlock(u32 before);
void cpu_start_tick(u32 length);
void cpu_tick_taken(void);
void cpu_idle(void);                       /* nothing to do for now */
bool cpu_window(u32 *late, u32 *late_max); /* how late this window began, if the machine knows windows */
extern const char cpu_kind[];

#endif
