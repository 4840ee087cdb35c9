/* SPDX-License-Identifier: MIT */
/* task_destroy.c - destroys a native task (CONFIG_DYNAMIC), which has nothing but its threads. */
#include <task/task.h>

void task_destroy(struct domain *d)
{
    struct task *t = d->impl;
    while (t->n)
        thread_join(t->thread[--t->n]);
    d->impl = NULL;
}
