/* SPDX-License-Identifier: MIT */
/*
 * request.h - remote calls: what a program's core asks the master core for (Nanvix paper, III.B: asymmetric kernel).
 *
 * The master alone touches what all cores of the cluster share here, so nothing of it needs a lock. A caller fills a
 * request on its own stack, with everything that it needs of user memory already copied, leaves it and waits, after a
 * while asleep. The master serves first come, first served; what cannot be done yet stays pending and is tried again,
 * in the same order, whenever something has changed. The master never waits for user code, and its work for one ring or
 * one request is bounded.
 */
#ifndef AMALGAM_CLUSTER_REQUEST_H
#define AMALGAM_CLUSTER_REQUEST_H

#include <core/thread.h>
#include <list.h>
#include <types.h>

#define REQUEST_PENDING (-0x10000) /* what `serve` returns when it is to be called again; no error */
#define REQUEST_NOBODY  0xff

enum request_state {
    REQUEST_AWAITED, /* its caller is awake */
    REQUEST_ASLEEP,  /* it sleeps, or is about to: it has to be woken */
    REQUEST_DONE,    /* there is a result; if the caller was asleep it must not go yet */
    REQUEST_LEFT,    /* it may: the master is done with request and thread */
};

struct request {
    /* Try it, on the master: a result, or REQUEST_PENDING. */
    s64 (*serve)(struct request *r);
    /* Called for one that is pending and will not be tried again; NULL: no matter. */
    void (*drop)(struct request *r);
    struct request *earlier; /* the one that came before it, while the master has seen neither */
    struct list link;        /* among the pending ones */
    struct thread *caller;
    ticks_t since; /* when it was served first */
    s64 result;
    u32 state;      /* enum request_state */
    u8 peer;        /* while it is pending: the cluster that it waits for, or REQUEST_NOBODY */
    bool to_end;    /* served to its end even where its caller is to stop */
    bool cancelled; /* the caller is to stop */
};

/* Have the master serve it, and sleep until it is done: what `serve` returned; -ECANCELED: this thread is to stop.
 * Thread context, interrupts on, not the master. */
s64 request_run(struct request *r);
/* End a pending request from elsewhere, on the master: what it waits for has come. */
void request_finish(struct request *r, s64 result);
/* What `serve` returns to wait on for `node`: REQUEST_PENDING, after noc_patience() -ETIMEDOUT. */
s64 request_pending(struct request *r, unsigned node);

#endif
