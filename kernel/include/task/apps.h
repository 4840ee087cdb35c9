/* SPDX-License-Identifier: MIT */
/* task/apps.h - numbers of the built-in native tasks: a system file has the name of one, its table has the number. */
#ifndef TASK_APPS_H
#define TASK_APPS_H

enum task_apps {
    APP_CONTEXT_SWITCH,
    APP_JACOBI,
    APP_FAULT,
    APP_OVERFLOW,
    APP_SVM, /* from here on only in the scc shape */
    APP_SVM_LITMUS,
    APP_SVM_BENCH,
    APP_SVM_PAUSES,
    APP_SVM_TOUCH, /* from here on only in the scc-migrate shape */
    APP_SVM_TOUCH_BENCH,
    APP_SVM_PUBLISH,
    APP_COUNT,
};

#endif
