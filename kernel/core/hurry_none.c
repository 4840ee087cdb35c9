/* SPDX-License-Identifier: MIT */
/* hurry_none.c - in place of hurry.c in a kernel without an operator: who waits for an end waits as long as it takes.
 */
#include <core/domain.h>

void thread_hurry(struct thread *t, unsigned prio) {}
int domain_wait(struct domain *d) { return waitq_wait(&d->changed, TICKS_NEVER); }
void domain_is_late(struct domain *d) {}
