/* SPDX-License-Identifier: MIT */
/*
 * domain_end.c - the end of all domains of a system (CONFIG_DYNAMIC): stopped against a
 * keeper that may be about to start one, and destroyed when nobody is left who could
 * reach them: no thread of a domain, not the keeper, not who answers the host's bells.
 */
#include <core/console.h>
#include <core/domain.h>
#include <core/split.h>
#include <string.h>

/* Stopped for good. */
static void retire(struct domain *d)
{
    while (d->state != DOMAIN_EMPTY) {
        domain_stop(d);
        unsigned long flags = spin_lock_irqsave(&d->changed.lock);
        if (d->state == DOMAIN_STOPPED && !d->starting)
            d->state = DOMAIN_EMPTY;
        spin_unlock_irqrestore(&d->changed.lock, flags);
    }
}

static void destroy(struct domain *d)
{
    if (d->impl)
        d->ops->destroy(d);
    console_forget(d->id);
    memset(d, 0, sizeof(*d));
}

/* A kernel on the bare machine has nothing that it shares (core/split.h). */
__attribute__((weak)) void split_reset(void) {}

/* With n_domains 0 the keeper finds none to start or to switch the board off with. What it looks at already stays valid
 * until it has ended. */
void domains_end(void)
{
    unsigned n = n_domains;
    n_domains = 0;
    for (unsigned i = 0; i < n; i++)
        retire(&domains[i]);
    domains_keeper_end();
    split_reset();
    for (unsigned i = 0; i < n; i++)
        destroy(&domains[i]);
}
