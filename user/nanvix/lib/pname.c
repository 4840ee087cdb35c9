/* SPDX-License-Identifier: MIT */
/* pname.c - the process's own name; see nanvix/runtime/pm.h. */
#include <nanvix/runtime/pm.h>
#include <nanvix/sys/noc.h>
#include <string.h>

#include "nanvix.h"

static char own[NANVIX_PROC_NAME_MAX];
static uint32_t lock;

const char *nanvix_getpname(void) { return own; }

int nanvix_setpname(const char *name)
{
    nanvix_lock_take(&lock);
    int error = *own ? -EBUSY : nanvix_name_link(knode_get_num(), name);
    if (!error)
        strcpy(own, name); /* a name that was linked is short enough */
    nanvix_lock_drop(&lock);
    return error;
}
