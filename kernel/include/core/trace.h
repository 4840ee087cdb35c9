/* SPDX-License-Identifier: MIT */
/*
 * core/trace.h - the event trace: events of fixed size, a ring for each core.
 *
 * With tracing off a trace point costs one load and one branch. With tracing on it writes 32 bytes into this core's
 * ring, over the oldest event. The rings are allocated when tracing is first turned on. `trace dump` in the monitor
 * prints, oldest first,
 *
 *      T <cpu> <ticks> <event> <a> <b>          (a, b hexadecimal)
 *
 * The host draws a timeline of these lines.
 */
#ifndef AMALGAM_CORE_TRACE_H
#define AMALGAM_CORE_TRACE_H

#include <types.h>

enum trace_event {
    TRACE_SWITCH,    /* a = address of the thread that runs next, b = domain id or ~0 */
    TRACE_WAKE,      /* a = thread, b = its core */
    TRACE_WINDOW,    /* a = group, b = delay in ticks */
    TRACE_EXIT,      /* a = enum vcpu_reason, b = its address */
    TRACE_INJECT,    /* a = vCPU, b = vector */
    TRACE_IRQ,       /* a = kind of interrupt, b = 0 */
    TRACE_HYPERCALL, /* a = number, b = first argument */
    TRACE_EVENTS
};

#define TRACE_RING 2048 /* events a core, a power of two */

struct trace_record {
    ticks_t when;
    u64 event;
    u64 a, b;
};

_Static_assert(sizeof(struct trace_record) == 32, "two a cache line");

extern bool trace_on;

/* Write an event. Any context. */
void trace_record(enum trace_event event, u64 a, u64 b);

static inline void trace(enum trace_event event, u64 a, u64 b)
{
    if (unlikely(READ_ONCE(trace_on)))
        trace_record(event, a, b);
}

/* Turn recording on or off. Returns 0 or -ENOMEM. Thread context. */
int trace_enable(bool on);
/* Free the rings. Recording is off, and every core has run another thread since it was turned off. */
void trace_free(void);
/* Print the recorded events, oldest first, core by core; recording is off meanwhile. Thread context. */
void trace_dump(void);

#endif
