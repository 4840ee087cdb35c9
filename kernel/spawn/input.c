/* SPDX-License-Identifier: MIT */
/* input.c - what is typed at a process's console, for it and what it has started: kernel/api/spawn.yaml, console_read.
 * Bytes that nobody reads wait, ROOM of them; more wait in the port, until half of these are read, and are lost if they
 * are not for seconds (core/console.h). */
#include <core/console.h>
#include <core/domain.h>
#include <core/sched.h>
#include <errors.h>
#include <generated/spawn_calls.h>
#include <process/part.h>

#include "events.h"
#include "ring.h"

#define ROOM      256u
#define INTERRUPT 3 /* ^C */

static struct input {
    struct ring ring;
    u8 bytes[ROOM];
    bool held;      /* the port was told that there is no room */
    u32 interrupts; /* how often ^C was typed: told whether or not somebody reads; what came before it is dropped */
} inputs[SYS_MAX_DOMAINS];

/* Tell the port whether it is to wait; under the ring's lock. */
static void hold(struct input *i, unsigned console)
{
    u32 used = ring_used(&i->ring);
    if (!i->held && used == i->ring.room) {
        i->held = true;
        console_hold(console);
    } else if (i->held && used <= i->ring.room / 2) {
        i->held = false;
        console_room(console);
    }
}

/* domain_ops.input. Interrupt context */
void process_input(struct domain *d, u8 byte)
{
    struct ring *r = &inputs[d->id].ring;
    unsigned long flags = spin_lock_irqsave(&r->lock);
    bool told = byte == INTERRUPT, room = told || ring_used(r) < r->room;
    if (told) {
        WRITE_ONCE(inputs[d->id].interrupts, inputs[d->id].interrupts + 1);
        r->first = r->end;
    } else if (room) {
        r->bytes[r->end++ & (ROOM - 1)] = byte;
    }
    hold(&inputs[d->id], d->id);
    spin_unlock_irqrestore(&r->lock, flags);
    if (room)
        events_ring_console(d->id);
}

static unsigned console_of(const struct process *p)
{
    return process_image(p) ? process_image(p)->console : p->domain->id;
}

s64 spawn_call_console_interrupts(struct user *u)
{
    return READ_ONCE(inputs[console_of(container_of(u, struct process_thread, user)->process)].interrupts);
}

s64 spawn_call_console_read(struct process_thread *t, u64 to, u32 n)
{
    unsigned console = console_of(t->process);
    struct ring *r = &inputs[console].ring;
    unsigned long flags = spin_lock_irqsave(&r->lock);
    s64 size = ring_begin_read(r, n);
    spin_unlock_irqrestore(&r->lock, flags);
    if (!n || size <= 0)
        return size;
    size = ring_read(r, t, to, (u32)size);
    flags = spin_lock_irqsave(&r->lock);
    hold(&inputs[console], console);
    spin_unlock_irqrestore(&r->lock, flags);
    events_ring_console(console);
    sched_poll();
    return size;
}

/* What was typed for the last run is gone. */
static int begin(struct process *p)
{
    struct input *i = &inputs[p->domain->id];
    unsigned long flags = spin_lock_irqsave(&i->ring.lock);
    i->ring.first = i->ring.end;
    i->ring.room = ROOM;
    i->ring.bytes = i->bytes;
    if (i->held)
        hold(i, p->domain->id);
    spin_unlock_irqrestore(&i->ring.lock, flags);
    return 0;
}

PROCESS_PART(input, .at = { [PROCESS_BEGINS] = begin });
