/* SPDX-License-Identifier: MIT */
/*
 * watch.h - threads that live on alarms, on interrupts between cores and on the clock, and count: what a switch beneath
 * them must not disturb.  CONFIG_SELFVIRT_TEST.
 *
 * A sleeper a core sleeps again and again; a token goes from core to core.  watch_live() says whether each of them
 * still moves.  Without sleepers a core may have no alarm at all: then an interrupt from another core that is lost
 * stays lost until the next switch, and is not made good by an alarm that happens to come.
 */
#ifndef AMALGAM_SELF_WATCH_H
#define AMALGAM_SELF_WATCH_H

#include <types.h>

struct watch_report {
    u64 sleeps, early; /* sleeps that ended; before their time */
    u64 hops;          /* of the token */
    u64 backwards;     /* its clock, read on one core after the other */
};

#define WATCH_PATIENCE_NS 20000000000ull /* a busy host may not run a core for long; what is lost never comes */

/* 0, -ENOMEM. All in thread context on core 0. */
int watch_begin(bool sleepers);
/* Every sleeper wakes, and the token goes all the way round, within WATCH_PATIENCE_NS from now. */
bool watch_live(void);
/* Waits until the watchers have left. */
void watch_end(struct watch_report *r);

#endif
