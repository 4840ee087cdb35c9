/* SPDX-License-Identifier: MIT */
/* grant.c - gives the handle to the processes that the system file names; see status.h. */
#include <core/domain.h>
#include <errors.h>
#include <process/part.h>

#include "status.h"

static struct handle_object board = { .kind = HANDLE_STATUS };

static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    bool controls_only = (d->flags & SYS_OF_KIND) == SYS_STATUS_CONTROL;
    return controls_only ? "a process sets priorities and may not read the status" : NULL;
}

static __init_text int create(struct process *p)
{
    if (p->domain->conf->flags & SYS_STATUS)
        status_count_rings();
    return 0;
}

static int begin(struct process *p)
{
    u32 flags = p->domain->conf->flags;
    if (!(flags & SYS_STATUS))
        return 0;
    int handle = handle_give(p, &board, HANDLE_READ | HANDLE_SEND | (flags & SYS_STATUS_CONTROL ? HANDLE_WRITE : 0));
    return handle < 0 ? handle : 0;
}

PROCESS_PART(status, .check = check, .at = { [PROCESS_CREATES] = create, [PROCESS_BEGINS] = begin });
