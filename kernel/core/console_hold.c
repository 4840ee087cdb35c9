/* SPDX-License-Identifier: MIT */
/*
 * console_hold.c - what is typed faster than it is read waits in its port (where processes read their
 * consoles: option SPAWN).
 *
 * A source says when it has no room (console_hold), and when it has again (console_room). Meanwhile core 0 takes no
 * byte from a port whose next byte is for that source: it leaves the receive interrupt off and looks again every
 * PERIOD. Bytes behind the next one may be for others, Ctrl-] among them, so a source without room holds a port for
 * LOOKS of these at most, three seconds; after that its bytes are delivered again, and it drops them. Looks are
 * counted, not seconds: while an emulator stands still its clock goes on, and nobody can read.
 */
#include "console_hold.h"

#include <core/console.h>
#include <core/timer.h>

#define PERIOD 2000000ull /* ns */
#define LOOKS  1500u

static bool no_room[CONSOLE_SOURCES];

static struct hold {
    bool on;
    u32 looks;    /* until its end, if nobody makes room */
    ticks_t next; /* when the next one counts: others are for the sake of text that is sent */
    struct timer timer;
} holds[2];

void console_hold(unsigned source) { WRITE_ONCE(no_room[source], true); }
void console_room(unsigned source) { WRITE_ONCE(no_room[source], false); }

bool hold_looks(unsigned port, unsigned source, void (*look)(void *port))
{
    struct hold *h = &holds[port];
    bool full = source < CONSOLE_SOURCES && READ_ONCE(no_room[source]);
    if (full && (!h->on || time_now() >= h->next)) {
        h->looks = h->on ? h->looks - 1 : LOOKS;
        h->next = time_after(PERIOD);
    }
    if (full && !h->looks) {
        console_room(source);
        full = false;
    }
    WRITE_ONCE(h->on, full);
    if (full) {
        h->timer.fn = look;
        h->timer.arg = (void *)(uintptr_t)port;
        timer_arm(&h->timer, time_after(PERIOD));
    }
    return full;
}

bool hold_is_on(unsigned port) { return READ_ONCE(holds[port].on); }
