/* SPDX-License-Identifier: MIT */
/*
 * task.h - native tasks: domains of kind TASK, whose threads run built-in
 * applications in the kernel itself, near bare metal and without isolation.  The
 * system file's `entry` picks one from the table in task.c.
 */
#ifndef AMALGAM_TASK_H
#define AMALGAM_TASK_H

#include <core/domain.h>

#define TASK_THREADS SYS_MAX_VCPUS

struct task;

struct task_app {
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

extern const struct task_app bench_switch_app, jacobi_app, fault_app, overflow_app, svm_app, svm_litmus_app,
    bench_svm_app;

/* Those that are linked, by their numbers (task/apps.h): apps.c, or apps_svm.c. */
extern const struct task_app *const task_apps[];
extern const unsigned n_task_apps;

/* domain_ops.destroy */
void task_destroy(struct domain *d) __optional;
/* Returns whether the task was asked to end. */
bool task_stopping(void);
/* Print on the domain's console. */
void task_print(const struct task *t, const char *fmt, ...) __printf(2, 3);
/* Sort ascending. */
void task_sort(u32 *v, unsigned n);

#endif
