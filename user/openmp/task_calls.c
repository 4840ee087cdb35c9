/* SPDX-License-Identifier: MIT */
/* task_calls.c - GOMP_task, taskwait, taskgroup: what the compiler calls and programs ask of tasks (task.c). */
#include <stdlib.h>

#include "task.h"

#define DEPEND 8u /* with FINAL (task.h): gcc's flags (gomp-constants.h) */
#define DETACH 8192u

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

void GOMP_taskwait(void) { omp_tasks_run(CHILDREN); }

void GOMP_taskwait_depend(void **depend)
{
    (void)depend;
    omp_tasks_run(CHILDREN);
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
    omp_tasks_run(GROUP);
    omp_self.task->group = g->outer;
    free(g);
}

void GOMP_task(omp_function *fn, void *data, omp_copier *copy, long size, long align, bool deferred, unsigned flags,
               void **depend, int priority, void *event)
{
    bool may_be_held = flags & DEPEND && deferred && !omp_self.task->final;
    (void)depend, (void)priority;
    if (flags & DEPEND)
        omp_tasks_run(may_be_held ? BUSY_CHILDREN : CHILDREN);
    struct omp_task *t = omp_task_create(fn, data, copy, size, align, flags & FINAL, flags & DETACH ? event : NULL);
    t->holds = may_be_held;
    omp_task_start(t, !deferred);
}

int omp_in_final(void) { return omp_self.task->final; }
int omp_in_explicit_task(void) { return omp_self.task->parent != NULL; }
int omp_get_max_task_priority(void) { return 0; }
