/* SPDX-License-Identifier: MIT */
/* process_destroy.c - destroys a process (CONFIG_DYNAMIC): overwrites and frees all its memory. */
#include <core/frames.h>
#include <core/log.h>
#include <hal/memory.h>

#include "signal.h"

/* Free the tables. Those in the process's memory are freed with it. */
static void free_space(struct process *p)
{
    space_clear(&p->space, p->memory, p->memory + p->size);
    space_free(&p->space);
}

void process_destroy(struct domain *d)
{
    struct process *p = d->impl;
    timer_cancel(&p->watchdog);
    process_signals_destroy(p);
    while (p->n)
        thread_join(p->thread[--p->n].thread);
    if (p->space_users) /* a fault of the kernel has stopped a thread: its core may still have the space loaded */
        printk("process %s: %u pages of tables are lost\n", d->conf->name, space_pages(&p->space));
    else
        free_space(p);
    if (p->memory && p->memory != (paddr_t)-1)
        frames_clean(p->memory, p->size / PAGE_SIZE);
    if (p->thread)
        frames_clean(virt_to_phys(p->thread), p->records);
    frames_clean(virt_to_phys(p), PROCESS_PAGES);
    d->impl = NULL;
}
