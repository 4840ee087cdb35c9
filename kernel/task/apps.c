/* SPDX-License-Identifier: MIT */
/* apps.c - the native tasks that every shape has. */
#include "task.h"

#include <task/apps.h>

const struct task_app *const task_apps[] = {
    [APP_CONTEXT_SWITCH] = &bench_switch_app,
    [APP_JACOBI] = &jacobi_app,
    [APP_FAULT] = &fault_app,
    [APP_OVERFLOW] = &overflow_app,
};
const unsigned n_task_apps = ARRAY_SIZE(task_apps);
