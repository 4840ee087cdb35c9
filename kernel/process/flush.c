/* SPDX-License-Identifier: MIT */
/*
 * flush.c - makes every core forget what a process's tables no longer map.
 *
 * A core flushes when the thread that it runs loads its space again. process_flush() therefore marks each thread of the
 * process (user_forget), interrupts those that run on other cores, and waits until each has loaded its space or has
 * lost its core. The caller loads its own space while it waits, and map.c between its batches, so two threads that wait
 * for each other both go on.
 */
#include <hal/cpu.h>

#include "memory.h"

void process_flush(struct process *p, struct process_thread *self)
{
    mp_fence();
    for (unsigned i = 0; i < p->n; i++)
        user_forget(&p->thread[i].user);
    mp_fence();
    for (unsigned i = 0; i < p->n; i++) {
        struct process_thread *t = &p->thread[i];
        if (t != self && process_has_core(t))
            hal_ipi_resched(t->thread->cpu);
        while (t != self && user_forgot(&t->user) && process_has_core(t)) {
            unsigned long flags = irq_save();
            if (REMOTE_ALL)
                cpu_give_way(); /* where cpu_relax() would ring the master */
            else if (self)
                user_refresh(&self->user);
            irq_restore(flags);
            if (!REMOTE_ALL)
                cpu_relax();
        }
    }
}
