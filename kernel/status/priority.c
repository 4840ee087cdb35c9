/* SPDX-License-Identifier: MIT */
/* priority.c - priorities that are changed while domains run: `priority NAME N` at the control console, and for
 * calls.c.
 */
#include <core/domain.h>
#include <core/log.h>
#include <core/monitor.h>
#include <core/sched.h>
#include <core/thread.h>
#include <errors.h>
#include <string.h>

#include "status.h"

int status_set_priority(struct domain *d, unsigned priority)
{
    if (priority <= PRIO_IDLE || priority >= PRIO_LEVELS)
        return -ERANGE;
    threads_set_prio(d, priority);
    return READ_ONCE(d->state) == DOMAIN_RUNNING ? 0 : -ENOENT;
}

/* Returns the number that the text is, or one that no priority has. */
static unsigned number(const char *text)
{
    unsigned n = 0;
    for (const char *c = text; *c; c++)
        n = *c >= '0' && *c <= '9' && n < PRIO_LEVELS ? 10 * n + (unsigned)(*c - '0') : PRIO_LEVELS;
    return n;
}

static int command(const char *arg)
{
    char name[SYS_NAME] = "";
    size_t n = 0;
    while (arg[n] && arg[n] != ' ')
        n++;
    if (n < sizeof(name))
        memcpy(name, arg, n);
    while (arg[n] == ' ')
        n++;
    struct domain *d = name[0] ? domain_find(name) : NULL;
    if (!d)
        printk("say: priority NAME N; `list` shows the names\n");
    int err = d ? status_set_priority(d, number(arg + n)) : -ENOENT;
    if (err == -ERANGE)
        printk("a priority is a number from 1 to %u\n", PRIO_LEVELS - 1);
    return err;
}

MONITOR_COMMAND(priority, "priority", "NAME N", "set a domain's priority until its next start", .run = command);
