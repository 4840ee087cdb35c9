/* SPDX-License-Identifier: MIT */
/* cores.c - tells processes which cores of the cluster are awake (kernel/api/core.yaml; CONFIG_CLUSTER_CORES). */
#include <core/cpu.h>
#include <errors.h>
#include <generated/core_calls.h>
#include <process/part.h>

enum { DARK, WAITS, AWAKE }; /* kernel/api/core.yaml says it, too */

/* No lock: the answer may be over when the caller has it, with or without one. A core whose active group is not group 0
 * is kept asleep (core/awake.c); one with a ready thread in group 0 is about to run it. */
s64 core_call_core_state(struct process_thread *t, u32 core)
{
    const struct cpu *c = core < n_cpus ? READ_ONCE(cpus[core]) : NULL;
    if (!c)
        return -EINVAL;
    const struct sched *s = &c->sched;
    if (READ_ONCE(s->running) != s->idle)
        return AWAKE;
    if (!READ_ONCE(s->group[0].map))
        return DARK;
    return READ_ONCE(s->active) == &s->group[0] ? AWAKE : WAITS;
}
