/* SPDX-License-Identifier: MIT */
/* task_destroy.c - the end of a native task (CONFIG_DYNAMIC): its threads are all that it has. */
#include "task.h"

void task_destroy(struct domain *d)
{
    struct task *t = d->impl;
    while (t->n)
        thread_join(t->thread[--t->n]);
    d->impl = NULL;
}
