/* SPDX-License-Identifier: MIT */
/* task.c - tasks, the ready lists and the tick. */
#include "rtos.h"
#include "context.h"

static struct task tasks[TASKS];
static u8 stacks[TASKS][STACK] __aligned(16);
static struct list ready[PRIORITIES];
static u32 n_tasks, now, tick_length, started;

struct task *current, *next_task;

void list_append(struct list *l, struct task *t)
{
    t->next = NULL;
    if (l->first)
        l->last->next = t;
    else
        l->first = t;
    l->last = t;
}

struct task *list_take(struct list *l)
{
    struct task *t = l->first;
    if (t)
        l->first = t->next;
    return t;
}

void list_remove(struct list *l, struct task *t)
{
    struct task **link = &l->first, *last = NULL;
    for (; *link && *link != t; link = &(*link)->next)
        last = *link;
    if (!*link)
        return;
    *link = t->next;
    if (l->last == t)
        l->last = last;
}

struct task *task_create(const char *name, u32 priority, void (*run)(void *), void *argument)
{
    if (n_tasks == TASKS || priority >= PRIORITIES)
        return NULL;
    struct task *t = &tasks[n_tasks];
    u32 *frame = (u32 *)(stacks[n_tasks++] + STACK - 16 - CONTEXT_SIZE);
    memset(frame, 0, CONTEXT_SIZE + 16);
    frame[CONTEXT_KIND / 4] = CONTEXT_INTERRUPTED;
    frame[CONTEXT_GPR / 4 + 3] = (u32)argument;
    frame[CONTEXT_PC / 4] = (u32)run;
    frame[CONTEXT_MSR / 4] = MSR_EE | MSR_ME;
    *t = (struct task){ .sp = (u32)frame, .name = name, .priority = (u8)priority };
    list_append(&ready[priority], t);
    return t;
}

void make_ready(struct task *t)
{
    t->state = TASK_READY;
    t->timed = false;
    t->waits_for = NULL;
    list_append(&ready[t->priority], t);
}

static struct task *most_urgent(void)
{
    for (u32 p = 0; p < PRIORITIES; p++)
        if (ready[p].first)
            return ready[p].first;
    return NULL; /* not reached, because rtos_start() requires a task that never waits */
}

void reschedule(void)
{
    next_task = most_urgent();
    if (next_task != current)
        context_switch();
}

void wait_in(struct semaphore *s, u32 timeout_ticks)
{
    list_remove(&ready[current->priority], current);
    current->state = s ? TASK_WAITS : TASK_SLEEPS;
    current->waits_for = s;
    current->timed = timeout_ticks != FOREVER;
    current->timed_out = false;
    current->wake = now + timeout_ticks;
    if (s)
        list_append(&s->waiting, current);
    reschedule();
}

void task_sleep_until(u32 tick)
{
    u32 before = cpu_lock();
    if ((s32)(tick - now) > 0)
        wait_in(NULL, tick - now);
    cpu_unlock(before);
}

/* Runs on the stack of the task that was interrupted; context.S then continues next_task. */
void interrupt(u32 vector)
{
    if (vector != VEC_PIT) {
        print("rtos: exception %04x in %s\n", vector, current->name);
        power_off();
    }
    cpu_tick_taken();
    now = (ticks() - started) / tick_length;
    for (u32 i = 0; i < n_tasks; i++) {
        struct task *t = &tasks[i];
        if (t->timed && (s32)(now - t->wake) >= 0) {
            t->timed_out = true;
            if (t->waits_for)
                list_remove(&t->waits_for->waiting, t);
            make_ready(t);
        }
    }
    struct list *own = &ready[current->priority];
    if (current->state == TASK_READY && own->first == current && own->first != own->last)
        list_append(own, list_take(own)); /* tasks of one priority take turns */
    next_task = most_urgent();
}

u32 rtos_ticks(void) { return now; }
u32 rtos_tick_length(void) { return tick_length; }
u32 rtos_tick_time(u32 n) { return started + n * tick_length; }

void rtos_init(u32 tick_us) { tick_length = tick_us * 1000 / 3; }

void rtos_start(void)
{
    started = ticks();
    cpu_start_tick(tick_length);
    next_task = most_urgent();
    context_start();
}
