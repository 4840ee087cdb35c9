/* SPDX-License-Identifier: MIT */
/* refuse.c - counts and logs accesses that were refused to Linux. */
#include <core/log.h>

#include "linux_cpu.h"

struct attach_refused attach_refused;

void attach_refuse(struct linux_cpu *l, const char *what, u64 at)
{
    u64 n = __atomic_add_fetch(&attach_refused.count, 1, __ATOMIC_RELAXED), rip = l->vmcb->rip;
    attach_refused.at = at;
    attach_refused.rip = rip;
    /* At powers of two: the first ones, and no flood. A core that a panic has stopped may hold the console's lock. */
    if (!(n & (n - 1)) && !cores_dead())
        printk("amalgam: Linux tried to %s %llx at rip %llx: refused (%llu so far)\n", what, at, rip, n);
}
