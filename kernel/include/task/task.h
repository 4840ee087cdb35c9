/* SPDX-License-Identifier: MIT */
/*
 * task.h - native tasks: domains of kind TASK, whose threads run built-in
 * applications in the kernel itself, near bare metal and without isolation.
 *
 * An application registers itself with TASK_APP(); the system file's `entry` names it.
 */
#ifndef AMALGAM_TASK_TASK_H
#define AMALGAM_TASK_TASK_H

#include <core/domain.h>
#include <task/apps.h>

#define TASK_THREADS SYS_MAX_VCPUS

struct task;

struct task_app {
    unsigned number; /* APP_* (task/apps.h) */
    const char *name;
    unsigned threads; /* 0: one for each vCPU of the domain, on its core; otherwise this many, on the first core */
    bool fpu;
    /* Body of thread `which`; returns early when task_stopping(). */
    void (*run)(struct task *t, unsigned which);
};

struct task {
    struct domain *domain;
    const struct task_app *app;
    unsigned n;
    struct thread *thread[TASK_THREADS];
};

/* Register an application: TASK_APP(name, .number = APP_X, .name = "...", .run = ...). The linker collects the records.
 */
#define TASK_APP(id, ...)                                                                                              \
    static const struct task_app app_##id                                                                              \
        __attribute__((used, section("task_apps"), aligned(sizeof(void *)))) = { __VA_ARGS__ }

/* domain_ops.destroy */
void task_destroy(struct domain *d) __optional;
/* Returns whether the task was asked to end. */
bool task_stopping(void);
/* Print on the domain's console. */
void task_print(const struct task *t, const char *fmt, ...) __printf(2, 3);
/* Sort ascending. */
void task_sort(u32 *v, unsigned n);

#endif
