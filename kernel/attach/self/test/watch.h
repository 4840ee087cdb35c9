/* SPDX-License-Identifier: MIT */
/*
 * watch.h - threads that live on alarms, on interrupts between cores and on the clock, and count what they miss: what a
 * switch beneath them must not disturb.  CONFIG_SELFVIRT_TEST.
 */
#ifndef AMALGAM_SELF_WATCH_H
#define AMALGAM_SELF_WATCH_H

#include <types.h>

struct watch_report {
    u64 sleeps, early, late; /* sleeps: those that ended; late: by more than WATCH_LATE_NS */
    u64 hops, lost;          /* of a token from core to core; lost: it did not come in that time */
    u64 backwards;           /* the token's clock, read on one core after the other */
};

#define WATCH_LATE_NS 3000000000ull /* the board's host may not run a core for long; a lost alarm never comes */

/* A sleeper and a runner a core. 0, -ENOMEM. Thread context; watch_end() waits until they have left. */
int watch_begin(void);
void watch_end(struct watch_report *r);

#endif
