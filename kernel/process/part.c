/* SPDX-License-Identifier: MIT */
/* part.c - asks the parts of processes that are linked; see part.h. */
#include "part.h"

__init_text const char *process_parts_check(const struct sys_header *h, const struct sys_domain *d)
{
    const char *why = NULL;
    for (const struct process_part *part = __process_parts_start; part < __process_parts_end && !why; part++)
        if (part->check)
            why = part->check(h, d);
    return why;
}

int process_parts(struct process *p, enum process_moment m)
{
    int result = 0;
    for (const struct process_part *part = __process_parts_start; part < __process_parts_end && !result; part++)
        if (part->at[m])
            result = part->at[m](p);
    return result;
}
