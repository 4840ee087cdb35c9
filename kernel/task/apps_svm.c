/* SPDX-License-Identifier: MIT */
/* apps_svm.c - the native tasks where kernels share memory (CONFIG_SVM). */
#include "task.h"

#include <task/apps.h>

const struct task_app *const task_apps[] = {
    [APP_CONTEXT_SWITCH] = &bench_switch_app, [APP_JACOBI] = &jacobi_app, [APP_FAULT] = &fault_app,
    [APP_OVERFLOW] = &overflow_app,           [APP_SVM] = &svm_app,       [APP_SVM_LITMUS] = &svm_litmus_app,
    [APP_SVM_BENCH] = &bench_svm_app,
};
const unsigned n_task_apps = ARRAY_SIZE(task_apps);
