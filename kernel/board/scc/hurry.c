/* SPDX-License-Identifier: MIT */
/*
 * hurry.c - a program of core 0 that computes, or looks whether others have come, leaves the reader of the other
 * kernels' text (reader.c) no time. So if the reader has text and has made no round of all rings for LATE_NS, one round
 * has a high priority, and another one each NEXT_NS as long as there is text. It prints what reader.c prints of each
 * kernel in a round, no more: others do not take core 0's time by what they say. A program that all cores run together
 * waits for core 0 meanwhile, so LATE_NS is long: what kernels say at their start would be printed in a short one.
 */
#include <core/init.h>
#include <core/timer.h>
#include <hal/time.h>

#include "ring.h"

#define LATE_NS 2000000000ull
#define NEXT_NS 100000000ull

static struct timer late;

void ring_reader_hurry(struct thread *t) { thread_set_prio(t, PRIO_HIGH); }

static void hurry(void *reader) { ring_reader_hurry(reader); }

void ring_reader_waits(struct thread *t)
{
    late.arg = t;
    if (!late.armed)
        timer_arm(&late, time_after(LATE_NS));
}

void ring_reader_has_read(struct thread *t, bool some)
{
    timer_arm(&late, some ? time_after(t->prio == PRIO_HIGH ? NEXT_NS : LATE_NS) : TICKS_NEVER);
    thread_set_prio(t, RING_READER_PRIO);
}

static __init_text void hurry_start(void) { timer_init(&late, hurry, NULL); }
INIT_CALL(hurry_start);
