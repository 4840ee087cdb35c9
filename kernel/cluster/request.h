/* SPDX-License-Identifier: MIT */
/*
 * request.h - remote calls: requests of a program's core to the master core (Nanvix paper, III.B: asymmetric kernel).
 *
 * Only the master accesses the state that all cores of the cluster share here, so it needs no lock. A caller fills a
 * request on its own stack, with copies of all user memory that it needs, passes it to the master and waits, after a
 * short time asleep. The master serves requests in the order of their arrival. A request that cannot be done yet stays
 * pending, and is tried again, in the same order, whenever something has changed. The master never waits for user code,
 * and its work for one ring or one request is bounded.
 */
#ifndef AMALGAM_CLUSTER_REQUEST_H
#define AMALGAM_CLUSTER_REQUEST_H

#include <core/thread.h>
#include <hal/noc.h>
#include <list.h>
#include <process/remote.h>
#include <types.h>

/* What `serve` returns of a request that is not done; no error has such a value. */
#define REQUEST_PENDING (-0x10000) /* try it again whenever something has changed */
#define REQUEST_QUEUED  (-0x10001) /* only request_finish() ends it, or its caller does. REMOTE_ALL */

enum request_state {
    REQUEST_AWAITED, /* its caller is awake */
    REQUEST_ASLEEP,  /* its caller sleeps or is about to sleep, and has to be woken */
    REQUEST_DONE,    /* there is a result; a caller that was asleep must not continue yet */
    REQUEST_LEFT,    /* the caller may continue: the master no longer accesses request and thread */
};

enum request_cancelled {
    REQUEST_STAYS,
    REQUEST_CALLED, /* its caller has a signal to take */
    REQUEST_ENDS,   /* its caller has to stop */
    REQUEST_TO_END, /* serve it to its end even so; it stays this */
};

/* The words by which caller and master meet have lines of their own, because the caches of a cluster may not be
 * coherent (policy.h): one for what the caller writes, one for what both change, by atomic operations. The rest, and
 * what follows it in a comm, is one's or the other's at a time. */
struct request {
    struct request *earlier __aligned(NOC_LINE); /* that arrived before it; itself: not known yet */
    u8 cancelled;                                /* enum request_cancelled; written by the caller only */
    struct thread *caller;                       /* of a request in state REQUEST_ASLEEP */
    u32 state __aligned(NOC_LINE);               /* enum request_state */
    /* Try the request, on the master. Returns its result, REQUEST_PENDING or REQUEST_QUEUED. */
    s64 (*serve)(struct request *r) __aligned(NOC_LINE);
    /* Called for a pending request that is to be tried no more; NULL: there is nothing to undo. `ends`: its process
     * ends. Returns false if it has to stay for now: then this is called again after request_again(). Else a signal has
     * come for its caller, who may make the call again: false says that the call has begun what would be lost, and goes
     * on. */
    bool (*drop)(struct request *r, bool ends);
    struct list link; /* in the list of pending requests; before that `next` links to the one that arrived after it */
    ticks_t since;    /* when it was served first */
    s64 result;
    u32 peers; /* while it is pending: bits, the clusters for which it waits */
};

/* Let the master serve a request, and sleep until it is finished. Returns the result of `serve`; -ECANCELED: this
 * thread has to stop; -EINTR: it has a signal to take, and nothing was done. Any thread but the master. Interrupts are
 * off, but while it sleeps. */
s64 request_run(struct request *r);
/* The same for a request that takes long: the caller sleeps at once. REMOTE_ALL */
s64 request_run_long(struct request *r);
/* Finish a pending request, because the event for which it waits has come. Called on the master. */
void request_finish(struct request *r, s64 result);
/* Something has changed for which a pending request may wait. Any core, interrupts on. */
void request_again(void);
/* `serve` returns the result of this to wait for `node`: REQUEST_PENDING, or after noc_patience() -ETIMEDOUT, unless a
 * reader there is slow. */
s64 request_pending(struct request *r, unsigned node);

#endif
