/* SPDX-License-Identifier: MIT */
/* watch.c - whether the clusters live for which requests wait; see master.h. */
#include <core/timer.h>
#include <hal/cpu.h>
#include <hal/time.h>

#include "master.h"
#include "peer.h"

bool watching;
static struct timer watch_timer;

__cold __noinline void watch_later(void)
{
    unsigned long flags = irq_save();
    timer_arm(&watch_timer, time_now() + time_from_ns(noc_patience() / 2));
    irq_restore(flags);
    watching = true;
}

__cold void watch_init(void (*now)(void *arg)) { timer_init(&watch_timer, now, NULL); }

__cold __noinline void watch(const struct list *pending)
{
    u32 nodes = 0;
    for (const struct list *at = pending->next; at != pending; at = at->next)
        nodes |= list_entry(at, struct request, link)->peers;
    for (unsigned n = 0; (u64)nodes >> n; n++)
        if (nodes >> n & 1)
            peer_ask(n);
    watching = false;
    if (nodes)
        watch_later();
}
