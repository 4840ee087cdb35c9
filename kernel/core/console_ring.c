/* SPDX-License-Identifier: MIT */
/*
 * console_ring.c - a ring before each of the console's ports, so that who speaks need not wait for a line's speed.
 *
 * A port that takes nothing for long counts as dead: what waits for it is forgotten, and nobody waits for it for ever.
 */
#include <core/console.h>

#include "console_ring.h"

#define RING     8192   /* half of it holds the longest chunk: 64 line ends of the longest name */
#define PATIENCE 100000 /* polls */

static struct ring {
    u32 head, tail;
    bool whole; /* nothing was lost since ring_lost() was asked */
    u8 byte[RING];
} rings[2];

static u32 keep; /* bytes that may wait in a ring */

void console_queue(bool on) { keep = on ? RING - 1 : 0; }

u32 ring_waiting(unsigned port) { return rings[port].head - rings[port].tail; }

u32 ring_drain(unsigned port)
{
    struct ring *r = &rings[port];
    u32 at = r->tail % RING, n = hal_console_put(port, &r->byte[at], MIN(ring_waiting(port), RING - at));
    r->tail += n;
    return n;
}

static void lose(unsigned port)
{
    rings[port].tail = rings[port].head;
    rings[port].whole = false;
}

bool ring_lost(unsigned port)
{
    bool was = !rings[port].whole;
    rings[port].whole = true;
    return was;
}

void ring_send(unsigned port, u8 byte)
{
    struct ring *r = &rings[port];
    if (!ring_waiting(port) && hal_console_put(port, &byte, 1))
        return;
    r->byte[r->head++ % RING] = byte;
    for (unsigned i = 0; ring_waiting(port) > keep;) {
        if (ring_drain(port))
            i = 0;
        else if (i++ == PATIENCE)
            lose(port);
    }
}

bool ring_busy(void)
{
    static u32 looks, sent;
    if ((ring_waiting(HUMAN) | ring_waiting(TAGGED)) <= RING / 2)
        return false;
    ring_drain(HUMAN);
    ring_drain(TAGGED);
    if (sent != rings[HUMAN].tail + rings[TAGGED].tail)
        looks = 0;
    sent = rings[HUMAN].tail + rings[TAGGED].tail;
    if (looks++ < PATIENCE)
        return true;
    looks = 0;
    lose(HUMAN);
    lose(TAGGED);
    return false;
}
