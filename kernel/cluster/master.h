/* SPDX-License-Identifier: MIT */
/*
 * master.h - where callers (request.c) and the master's thread (master.c) meet.
 *
 * Before the master sleeps it sets `resting`, then checks for work once more. A core with work for it stores the work,
 * then reads `resting`. A caller sleeps only if it sets its request's state to REQUEST_ASLEEP before the master
 * finishes it, and the master wakes only callers in that state (tests/model/request.pml). So no wake-up is lost, and no
 * thread that is awake is woken.
 */
#ifndef AMALGAM_CLUSTER_MASTER_H
#define AMALGAM_CLUSTER_MASTER_H

#include "request.h"

#define MASTER 0  /* the core that serves */
#define TURNS  16 /* how often caller and master yield before they sleep, because a sleep and a wake-up cost more */

extern struct request
    *arrivals;      /* the last one to arrive; each links to the one before it; the master takes all at once */
extern u32 resting; /* the master sleeps or is about to sleep */
void master_wake(void);

extern bool remote_due; /* the thread beside the master has a call to execute (remote.c); with REMOTE_ALL only */

/*
 * Each half of noc_patience(), however busy the master is, it asks the clusters for which requests wait whether they
 * are alive, each once. Who has not answered for noc_patience() is lost: half of it after the last answer at least, and
 * one and a half at most. A timer says when (watch.c). Master only.
 */
extern bool watching; /* the timer is armed, as a request waits for a cluster */
void watch_init(void (*now)(void *arg));
void watch_later(void); /* arm the timer, which calls now() */
/* It is time: ask. Then poll the lanes for the answers of the last time. */
void watch(const struct list *pending);

static inline void wake_master(void)
{
    if (unlikely(__atomic_load_n(&resting, __ATOMIC_RELAXED)))
        master_wake();
}

/* That thread runs only while the master sleeps. */
static inline bool remote_is_due(void) { return REMOTE_ALL && READ_ONCE(remote_due); }

#endif
