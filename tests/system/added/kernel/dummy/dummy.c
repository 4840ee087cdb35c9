/* SPDX-License-Identifier: MIT */
/*
 * dummy.c - a part of processes that does nothing of use. A process that has an archive of files may add numbers up;
 * its sum begins at 0 with each of its lives, and is printed at its end.
 */
#include <core/log.h>
#include <errors.h>
#include <generated/dummy_calls.h>
#include <process/part.h>

static u32 sum[SYS_MAX_DOMAINS];

static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    return sys_process(d)->argc > 4 ? "a process that adds up has too many arguments" : NULL;
}

static int begin(struct process *p)
{
    sum[p->domain->id] = 0;
    return 0;
}

static int end(struct process *p)
{
    printk("dummy: %s has added up %u\n", p->domain->conf->name, sum[p->domain->id]);
    return 0;
}

PROCESS_PART(dummy, .check = check, .at = { [PROCESS_BEGINS] = begin, [PROCESS_ENDS] = end });

s64 dummy_call_dummy_add(struct process_thread *t, u32 value)
{
    const struct domain *d = t->process->domain;
    return sys_process(d->conf)->files == SYS_NONE ? -EPERM : (s64)(sum[d->id] += value);
}
