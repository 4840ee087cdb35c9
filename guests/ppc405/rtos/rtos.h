/* SPDX-License-Identifier: MIT */
/*
 * rtos.h - a small real-time kernel: fixed-priority preemptive tasks, a tick from the PIT,
 * counting semaphores with timeout, message queues.
 *
 * All memory is static. Tasks run in privileged real mode, each with a stack of its own. An interrupt saves the whole
 * state on the stack of the task that it interrupts; a task that waits saves only the registers that a call must
 * preserve (context.S). Kernel functions run with interrupts off from cpu_lock() to cpu_unlock().
 *
 * The same sources make two guests. Code that accesses privileged state is in cpu.c and cpu_ops.inc, either those of
 * native/ (by instructions) or those of para/ (by hypercalls and the register page, paper 2.3).
 *
 * Time: the tick handler computes from the time base how many ticks have passed. So time advances while other guests'
 * windows run, and does not drift.
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
    u32 sp;            /* must be first, for context.S */
    struct task *next; /* in the ready list of its priority, or in a semaphore's */
    struct semaphore *waits_for;
    const char *name;
    u32 wake; /* the tick at which its sleep or timeout ends */
    u8 priority, state;
    bool timed, timed_out;
};

struct list {
    struct task *first, *last;
};

struct semaphore {
    u32 count;
    struct list waiting; /* in order of arrival */
};

struct queue { /* of words */
    u32 *words;
    u32 size, head, used;
    struct semaphore items, room;
};

/* --- task.c --- */
void rtos_init(u32 tick_us);
struct task *task_create(const char *name, u32 priority, void (*run)(void *), void *argument);
__noreturn void rtos_start(void); /* does not return; priority PRIORITIES - 1 must have a task that never waits */
u32 rtos_ticks(void);
u32 rtos_tick_length(void); /* in units of the time base */
/* Returns the time base's value at which tick `n` was due. */
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
void wait_in(struct semaphore *s, u32 timeout_ticks); /* wait until make_ready() */
void reschedule(void);                                /* switch to the most urgent task */
void list_append(struct list *l, struct task *t);
struct task *list_take(struct list *l);
void list_remove(struct list *l, struct task *t);
void context_switch(void);           /* context.S: save current, continue next_task */
__noreturn void context_start(void); /* context.S: continue next_task */
void interrupt(u32 vector);          /* called by context.S */

/* --- native/cpu.c or para/cpu.c --- */
u32 cpu_lock(void); /* turns interrupts off; returns the state for cpu_unlock() */
void cpu_unlock(u32 before);
void cpu_start_tick(u32 length);
void cpu_tick_taken(void);
void cpu_idle(void);                       /* called when no task is ready */
bool cpu_window(u32 *late, u32 *late_max); /* how late this window began, if the machine knows windows */
extern const char cpu_kind[];

#endif
