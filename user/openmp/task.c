/* SPDX-License-Identifier: MIT */
/*
 * task.c - GOMP_task, taskwait, taskgroup. A deferred task is put into a list; the newest is taken
 * first. A thread takes tasks out and runs them while it waits: in a barrier, which ends when no task is left; in
 * taskwait the children of its task; at the end of a group the group's members. In a team of one, or when the list is
 * long, a task runs at once.
 *
 * A task with dependences starts when all earlier children of its parent have ended, which is stricter than needed.
 *
 * Records are in the program's heap and are accessed under one lock. A record is freed when the task and all its
 * children have ended.
 */
#include <stdlib.h>
#include <string.h>

#include "task.h"

#define DEPEND    8u /* with FINAL (task.h): gcc's flags (gomp-constants.h) */
#define DETACH    8192u
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

/* Take the first task out of the list that is a child of `parent` or a member of `group`; both NULL: any. The lock must
 * be held. */
static struct omp_task *take_out(const struct omp_task *parent, const struct omp_group *group)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    struct omp_task *found = l->first, *before = NULL;
    while (found && ((parent && found->parent != parent) || (group && found->group != group))) {
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

/* Note that a task has ended; free its record and its parent's if they are no longer needed. A record that somebody
 * may still give to omp_fulfill_event() stays. The lock must be held. */
static void task_end(struct omp_task *t)
{
    struct omp_task *parent = t->parent;
    if (t->group)
        t->group->tasks--;
    if (t->deferred)
        omp_self.words->tasks.unfinished--;
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
    omp_drop(&l->lock);
}

void omp_fulfill_event(uintptr_t event)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    struct omp_task *t = (struct omp_task *)event;
    omp_take(&l->lock);
    t->waits = false;
    if (t->ran && !t->dropped)
        task_end(t);
    omp_drop(&l->lock);
}

bool omp_task_run(void)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    if (!l->waiting)
        return false;
    omp_take(&l->lock);
    struct omp_task *t = take_out(NULL, NULL);
    omp_drop(&l->lock);
    if (t)
        task_run(t);
    return t != NULL;
}

/* Run tasks until all children of this task, or all members of a group, have ended. */
static void run_until_done(struct omp_group *group)
{
    struct omp_tasks *l = &omp_self.words->tasks;
    struct omp_task *self = omp_self.task;
    for (struct omp_wait w = { 0 };;) {
        omp_take(&l->lock);
        u32 left = group ? group->tasks : self->children;
        struct omp_task *t = left ? take_out(group ? NULL : self, group) : NULL;
        omp_drop(&l->lock);
        if (!left)
            return;
        if (t)
            task_run(t);
        else
            omp_relax(&w);
    }
}

struct omp_task *omp_task_create(omp_function *fn, void *data, omp_copier *copy, long size, long align, bool final,
                                 uintptr_t *event)
{
    uintptr_t mask = (uintptr_t)(align > 0 ? align : 1) - 1;
    struct omp_task *t = malloc(sizeof(*t) + (size_t)size + mask), *parent = omp_self.task;
    if (!t)
        omp_fail("no memory for a task");
    *t = (struct omp_task){ .fn = fn, .parent = parent, .group = parent->group, .final = final || parent->final };
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
    t->parent->children++;
    if (t->group)
        t->group->tasks++;
    if (!now || t->waits) {
        t->deferred = true;
        l->unfinished++;
    }
    if (!now) {
        t->next = l->first;
        l->first = t;
        l->waiting++;
    } else {
        drop_if_cancelled(t);
    }
    omp_drop(&l->lock);
    if (now)
        task_run(t);
}

void GOMP_taskwait(void);
void GOMP_taskwait_depend(void **depend);
void GOMP_taskyield(void);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_task(omp_function *fn, void *data, omp_copier *copy, long size, long align, bool deferred, unsigned flags,
               void **depend, int priority, void *event);
int omp_in_final(void);
int omp_in_explicit_task(void);
int omp_get_max_task_priority(void);

void GOMP_taskwait(void) { run_until_done(NULL); }

void GOMP_taskwait_depend(void **depend)
{
    (void)depend;
    run_until_done(NULL);
}

void GOMP_taskyield(void) { omp_polled(); }

void GOMP_taskgroup_start(void)
{
    struct omp_group *g = malloc(sizeof(*g));
    if (!g)
        omp_fail("no memory for a group of tasks");
    *g = (struct omp_group){ .outer = omp_self.task->group };
    omp_self.task->group = g;
}

void GOMP_taskgroup_end(void)
{
    struct omp_group *g = omp_self.task->group;
    run_until_done(g);
    omp_self.task->group = g->outer;
    free(g);
}

void GOMP_task(omp_function *fn, void *data, omp_copier *copy, long size, long align, bool deferred, unsigned flags,
               void **depend, int priority, void *event)
{
    (void)depend, (void)priority;
    if (flags & DEPEND)
        run_until_done(NULL);
    omp_task_start(omp_task_create(fn, data, copy, size, align, flags & FINAL, flags & DETACH ? event : NULL),
                   !deferred);
}

int omp_in_final(void) { return omp_self.task->final; }
int omp_in_explicit_task(void) { return omp_self.task->parent != NULL; }
int omp_get_max_task_priority(void) { return 0; }
