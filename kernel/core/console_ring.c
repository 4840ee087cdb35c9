/* SPDX-License-Identifier: MIT */
/*
 * console_ring.c - a ring before each of the console's ports, so that who speaks need not wait for a line's speed.
 *
 * A full ring loses what comes: nobody waits for a line with interrupts off.  Who speaks with interrupts on waits
 * before it is full (ring_busy).  A port that takes nothing for long counts as dead: what waits for it is forgotten.
 */
#include <core/console.h>
#include <string.h>

#include "console_ring.h"

#define RING     8192   /* half of it holds the longest chunk: 64 line ends of the longest name */
#define PATIENCE 100000 /* polls */

static struct ring {
    u32 head, tail;
    u32 fresh;  /* of what waits: for its writers to hand over */
    u32 polls;  /* in a row that took nothing of what waits */
    bool whole; /* nothing was lost since ring_lost() was asked */
    u8 byte[RING];
} rings[2];

static bool queued; /* bytes may wait in a ring */

u32 ring_waiting(unsigned port) { return rings[port].head - rings[port].tail; }

bool ring_drain(unsigned port)
{
    struct ring *r = &rings[port];
    u32 at = r->tail % RING, waiting = ring_waiting(port);
    u32 n = hal_console_put(port, &r->byte[at], MIN(waiting, RING - at));
    r->tail += n;
    r->fresh -= MIN(n, r->fresh);
    if (n || !waiting) {
        r->polls = 0;
        return n;
    }
    r->fresh = 0;
    if (r->polls++ == PATIENCE) {
        r->tail = r->head;
        r->polls = 0;
        r->whole = false;
    }
    return false;
}

/* Send all that waits, unless it may. */
static void settle(unsigned port)
{
    while (!queued && ring_waiting(port))
        ring_drain(port);
}

void console_queue(bool on)
{
    queued = on;
    settle(HUMAN);
    settle(TAGGED);
}

bool ring_lost(unsigned port)
{
    bool was = !rings[port].whole;
    rings[port].whole = true;
    return was;
}

u32 ring_send(unsigned port, const void *bytes, size_t n)
{
    struct ring *r = &rings[port];
    u32 at = r->head % RING, room = MIN(RING - at, RING - ring_waiting(port));
    u32 sent = MIN(n, room);
    if (!sent) {
        r->whole = false;
        return n;
    }
    memcpy(&r->byte[at], bytes, sent);
    r->head += sent;
    r->fresh += sent;
    settle(port);
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
