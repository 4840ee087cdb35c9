/* SPDX-License-Identifier: MIT */
/*
 * elsewhere.c - a domain that other kernels of the board run (CONFIG_SCC): all kernels have the same system, and each
 * starts in it what is for its core. The others stop at once, without a line: nothing of them has ended here, so
 * neither their restart nor the board's power is this kernel's.
 */
#include <core/domain.h>
#include <string.h>

int domain_elsewhere(struct domain *d)
{
    d->state = DOMAIN_STOPPING; /* `starting` keeps all others off */
    d->end = END_STOPPED;
    strlcpy(d->reason, "it runs on other cores", sizeof(d->reason));
    d->live = 1;
    domain_thread_gone(d);
    return 0;
}
