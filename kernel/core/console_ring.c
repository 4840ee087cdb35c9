/* SPDX-License-Identifier: MIT */
/*
 * console_ring.c - a ring of bytes in front of each console port, so that a speaker need not wait for the line.
 *
 * A full ring drops new bytes. A speaker with interrupts on waits before the ring is full (ring_busy). A port that
 * takes nothing for PATIENCE polls counts as dead, unless the board knows better: the bytes that wait for it are
 * dropped.
 */
#include <core/console.h>
#include <string.h>

#include "console_ring.h"

/* The build says that no port has an interrupt: then bytes do not wait, and the rings may be small. */
#ifndef CONSOLE_DIRECT
#define CONSOLE_DIRECT 0
#endif

/* The build says that the board knows whether a port's other end lives, and counts what is dropped. */
#ifndef CONSOLE_COUNTED
#define CONSOLE_COUNTED 0
#endif

/* Half of it has room for the longest chunk: 64 line ends with the longest name. */
#define RING     (CONSOLE_DIRECT ? 1024 : 8192)
#define PATIENCE 100000 /* polls */

static struct ring {
    u32 head, tail;
    u32 fresh;  /* of the waiting bytes: those that their writers still give to the port */
    u32 polls;  /* successive polls in which the port took nothing */
    bool whole; /* no byte was dropped since ring_lost() was called */
    u8 byte[RING];
} rings[2];

static bool queued; /* bytes may wait in a ring (console_queue) */

u32 ring_waiting(unsigned port) { return rings[port].head - rings[port].tail; }

bool ring_drain(unsigned port)
{
    struct ring *r = &rings[port];
    u32 tail = r->tail, at = tail % RING, waiting = ring_waiting(port);
    u32 n = hal_console_put(port, &r->byte[at], MIN(waiting, RING - at));
    r->tail = tail + n; /* at most what `head` was, also if a panic drains the ring at the same time */
    r->fresh -= MIN(n, r->fresh);
    if (n || !waiting) {
        r->polls = 0;
        return n;
    }
    r->fresh = 0;
    if (r->polls++ == PATIENCE) {
        if (CONSOLE_COUNTED && !hal_console_drop(waiting, true)) {
            r->polls = 0;
            return false;
        }
        r->tail = r->head;
        r->polls = 0;
        r->whole = false;
    }
    return false;
}

/* Without queueing: poll the port until it has taken all waiting bytes. */
static void flush_unless_queued(unsigned port)
{
    while (!queued && ring_waiting(port))
        ring_drain(port);
}

void console_queue(bool on)
{
    queued = on;
    flush_unless_queued(HUMAN);
    flush_unless_queued(TAGGED);
}

bool ring_flush(void)
{
    queued = false;
    ring_drain(HUMAN);
    ring_drain(TAGGED);
    return ring_waiting(HUMAN) | ring_waiting(TAGGED);
}

bool ring_lost(unsigned port)
{
    bool was = !rings[port].whole;
    rings[port].whole = true;
    return was;
}

u32 ring_send(unsigned port, const void *bytes, size_t n)
{
    if (CONSOLE_DIRECT && !hal_console_present(port)) /* it would take all of them, one by one */
        return n;
    struct ring *r = &rings[port];
    u32 at = r->head % RING, room = MIN(RING - at, RING - ring_waiting(port));
    u32 sent = MIN(n, room);
    if (!sent) {
        if (CONSOLE_COUNTED)
            hal_console_drop(n, false);
        r->whole = false;
        return n;
    }
    memcpy(&r->byte[at], bytes, sent);
    r->head += sent;
    r->fresh += sent;
    flush_unless_queued(port);
    return sent;
}

bool ring_hand_over(unsigned port) { return rings[port].fresh && ring_drain(port); }

bool ring_busy(void)
{
    if ((ring_waiting(HUMAN) | ring_waiting(TAGGED)) <= RING / 2)
        return false;
    ring_drain(HUMAN);
    ring_drain(TAGGED);
    return true;
}
