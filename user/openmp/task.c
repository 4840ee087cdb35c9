/* SPDX-License-Identifier: MIT */
/*
 * task.c - how tasks run. A deferred task is put into a list; the newest is taken first. A thread takes tasks out and
 * runs them while it waits: in a barrier, which ends when no task is left; in taskwait the children of its task; at the
 * end of a group the group's members. In a team of one, or when the list is long, a task runs at once.
 *
 * A task with dependences starts when all earlier children of its parent have ended, which is stricter than needed. Who
 * makes it runs tasks until then. If only events are missing (`detach`), the task is held instead, because its maker
 * may be who tells them: the last of the earlier children that ends puts it into the list.
 *
 * Records are in the program's heap and are accessed under one lock. A record is freed when the task and all its
 * children have ended.
 */
#include <stdlib.h>
#include <string.h>

#include "task.h"

#define LONG_LIST 16u /* tasks in the list, for each thread, from which on tasks run at once */

void omp_fulfill_event(uintptr_t event);

static bool is_cancelled(const struct omp_group *g)
{
    while (g && !g->cancelled)
        g = g->outer;
    return g != NULL;
}

/* A task that begins now is dropped if its group or its region was cancelled; nobody waits for its event. The lock must
 * be held. */
static void drop_if_cancelled(struct omp_task *t)
{
    t->dropped = omp_self.cancels && (is_cancelled(t->group) || omp_is_cancelled());
}

void omp_group_cancel(void)
{
    volatile u32 *lock = &omp_self.words->tasks.lock;
    omp_take(lock);
    if (omp_self.task->group)
        omp_self.task->group->cancelled = true;
    omp_drop(lock);
}

bool omp_group_is_cancelled(void)
{
    volatile u32 *lock = &omp_self.words->tasks.lock;
    omp_take(lock);
    bool found = is_cancelled(omp_self.task->group);
    omp_drop(lock);
    return found;
}

static bool is_kin(const struct omp_task *t, enum omp_kin kin)
{
    const struct omp_task *self = omp_self.task;
    switch (kin) {
    case GROUP: return t->group == self->group;
    case REGION: return t->region == self;
    case TEAM: return !t->region;
    default: return t->parent == self;
    }
}

/* Returns how many of them have not ended, for all kinds but TEAM. The lock must be held. */
static u32 count_left(enum omp_kin kin)
{
    const struct omp_task *self = omp_self.task;
    return kin == GROUP    ? self->group->tasks
           : kin == REGION ? self->unfinished
                           : self->children - (kin == BUSY_CHILDREN ? self->idle : 0);
}

static void put_in(struct omp_task *t)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    t->next = l->first;
    l->first = t;
    l->waiting++;
}

/* Take the first of these tasks out of the list. The lock must be held. */
static struct omp_task *take_out(enum omp_kin kin)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    struct omp_task *found = l->first, *before = NULL;
    while (found && !is_kin(found, kin)) {
        before = found;
        found = found->next;
    }
    if (!found)
        return NULL;
    if (before)
        before->next = found->next;
    else
        l->first = found->next;
    l->waiting--;
    drop_if_cancelled(found);
    return found;
}

/* Put the held tasks that have waited for this one alone into the list. The lock must be held. */
static void release_held(const struct omp_task *ended)
{
    struct omp_task *volatile *link = &omp_self.words->tasks.held, *t;
    while ((t = *link)) {
        if (t->parent != ended->parent || (s32)(t->number - ended->number) < 0 || --t->before) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        t->parent->idle--;
        put_in(t);
    }
}

/* Note that a task has ended; free its record and its parent's if they are no longer needed. A record that somebody
 * may still give to omp_fulfill_event() stays. The lock must be held. */
static void task_end(struct omp_task *t)
{
    struct omp_task *parent = t->parent;
    if (t->group)
        t->group->tasks--;
    if (t->deferred)
        omp_self.words->tasks.unfinished--;
    if (t->deferred && t->region)
        t->region->unfinished--;
    release_held(t);
    t->ended = true;
    if (!t->children && !t->waits)
        free(t);
    if (!--parent->children && parent->ended)
        free(parent);
}

static void task_run(struct omp_task *t)
{
    struct omp_task *outer = omp_self.task;
    struct omp_tasks *l = &omp_self.words->tasks;
    omp_self.task = t;
    if (!t->dropped)
        t->fn(t->data);
    omp_self.task = outer;
    omp_take(&l->lock);
    t->ran = true;
    if (!t->waits || t->dropped)
        task_end(t);
    else
        t->parent->idle++;
    omp_drop(&l->lock);
}

void omp_fulfill_event(uintptr_t event)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    struct omp_task *t = (struct omp_task *)event;
    omp_take(&l->lock);
    t->waits = false;
    if (t->ran && !t->dropped) {
        t->parent->idle--;
        task_end(t);
    }
    omp_drop(&l->lock);
}

bool omp_task_run(void)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    if (!l->waiting)
        return false;
    omp_take(&l->lock);
    struct omp_task *t = take_out(TEAM);
    omp_drop(&l->lock);
    if (t)
        task_run(t);
    return t != NULL;
}

void omp_tasks_run(enum omp_kin kin)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    for (struct omp_wait w = { 0 };;) {
        omp_take(&l->lock);
        u32 left = count_left(kin);
        struct omp_task *t = left ? take_out(kin) : NULL;
        omp_drop(&l->lock);
        if (!left)
            return;
        if (t)
            task_run(t);
        else
            omp_relax(&w);
    }
}

void omp_tasks_finish(void)
{
    if (omp_self.task->unfinished)
        omp_tasks_run(REGION);
}

struct omp_task *omp_task_create(omp_function *fn, void *data, omp_copier *copy, long size, long align, bool final,
                                 uintptr_t *event)
{
    uintptr_t mask = (uintptr_t)(align > 0 ? align : 1) - 1;
    struct omp_task *t = malloc(sizeof(*t) + (size_t)size + mask), *parent = omp_self.task;
    if (!t)
        omp_fail("no memory for a task");
    *t = (struct omp_task){ .fn = fn, .parent = parent, .group = parent->group, .final = final || parent->final };
    if (omp_self.team.threads == 1)
        t->region = parent->region ? parent->region : parent;
    if (event) {
        t->waits = true;
        *event = (uintptr_t)t;
        if (data)
            *(uintptr_t *)data = *event;
    }
    t->data = (void *)(((uintptr_t)(t + 1) + mask) & ~mask);
    if (copy)
        copy(t->data, data);
    else
        memcpy(t->data, data, (size_t)size);
    return t;
}

void omp_task_start(struct omp_task *t, bool now)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    u32 threads = omp_self.team.threads;
    now = now || threads == 1 || t->parent->final || l->waiting >= LONG_LIST * threads;
    omp_take(&l->lock);
    t->number = t->parent->born++;
    t->before = t->holds ? t->parent->children : 0;
    t->parent->children++;
    now = now && !t->before;
    if (t->group)
        t->group->tasks++;
    if (!now || t->waits) {
        t->deferred = true;
        l->unfinished++;
        if (t->region)
            t->region->unfinished++;
    }
    if (t->before) {
        t->parent->idle++;
        t->next = l->held;
        l->held = t;
    } else if (!now) {
        put_in(t);
    } else {
        drop_if_cancelled(t);
    }
    omp_drop(&l->lock);
    if (now)
        task_run(t);
}
