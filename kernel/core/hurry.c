/* SPDX-License-Identifier: MIT */
/*
 * hurry.c - ends domains that get no time. Threads that are asked to leave never would, beside a neighbour that never
 * sleeps and is more urgent. So they run as urgently as whoever asks, and the control console waits for them with
 * patience: then it is the operator's again.
 */
#include <core/domain.h>
#include <core/log.h>

#define PATIENCE_NS 10000000000ull

/* `least` is set before the lock that thread_set_prio() takes: a lower priority that is being set meanwhile comes
 * before ours, or sees it. */
void thread_hurry(struct thread *t, unsigned prio)
{
    if (READ_ONCE(t->least) < prio)
        WRITE_ONCE(t->least, (u8)prio);
    if (READ_ONCE(t->prio) < prio)
        thread_set_prio(t, prio);
}

int domain_wait(struct domain *d) { return waitq_wait(&d->changed, time_now() + time_from_ns(PATIENCE_NS)); }

void domain_is_late(struct domain *d)
{
    printk("domain %s: its threads have not left for 10 s; it stops when they have\n", d->conf->name);
}
