/* SPDX-License-Identifier: MIT */
/*
 * domain_end.c - destroys all domains of a system (CONFIG_DYNAMIC). First each domain is stopped, against a keeper that
 * may be about to start it. It is destroyed when the threads of all domains, the keeper and the thread that answers the
 * host's bells can no longer reach it.
 */
#include <core/console.h>
#include <core/domain.h>
#include <core/split.h>
#include <string.h>

/* Stop a domain and make it EMPTY, so that it cannot be started again. */
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

/* With n_domains 0 the keeper starts no domain and does not power the board off. A domain that it handles already
 * stays valid until the keeper has ended. */
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
