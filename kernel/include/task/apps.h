/* SPDX-License-Identifier: MIT */
/* task/apps.h - the native tasks that are built in: a system file names one, its table holds the number. */
#ifndef TASK_APPS_H
#define TASK_APPS_H

enum task_apps {
    APP_CONTEXT_SWITCH,
    APP_JACOBI,
    APP_FAULT,
    APP_OVERFLOW,
    APP_SVM, /* from here on: shape scc */
    APP_SVM_LITMUS,
    APP_SVM_BENCH,
    APP_COUNT,
};

#endif
