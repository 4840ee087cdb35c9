/* SPDX-License-Identifier: MIT */
/* process_destroy.c - the end of a process (CONFIG_DYNAMIC): all that it had is overwritten and free again. */
#include <core/frames.h>
#include <core/log.h>
#include <hal/memory.h>

#include "process.h"

/* Tables that lie in its memory go with that. */
static void free_space(struct process *p)
{
    space_clear(&p->space, p->memory, p->memory + p->size);
    space_free(&p->space);
}

void process_destroy(struct domain *d)
{
    struct process *p = d->impl;
    while (p->n)
        thread_join(p->thread[--p->n].thread);
    if (p->inside) /* a thread was stopped by a fault of the kernel's: some core may still have the space */
        printk("process %s: %u pages of tables are lost\n", d->conf->name, space_pages(&p->space));
    else
        free_space(p);
    if (p->memory && p->memory != (paddr_t)-1)
        frames_clean(p->memory, p->size / PAGE_SIZE);
    if (p->thread)
        frames_clean(virt_to_phys(p->thread), p->records);
    d->impl = NULL;
}
