/* SPDX-License-Identifier: MIT */
/*
 * pit.c - the 8254 interval timer and port 61h (Intel 231164).
 *
 * There is no tick. A channel is a load time and a count; pit_channel.c computes what a guest reads from the time of
 * the read. Only channel 0 can interrupt (GSI 2 and input 0 of the 8259 pair). A host timer is armed for its next
 * rising edge only while one of the two is unmasked; otherwise the channel is dormant until pit_wake().
 *
 * Differences from the part: a new count takes effect at once in modes 2 and 3 (the part finishes the period). Edges
 * are at least PIT_MIN_PERIOD apart, so that a guest cannot flood its core with host interrupts.
 *
 * A host timer is work of the kernel in whatever window it falls. So after an edge the next one is armed only when a
 * vCPU runs: outside its guest's windows the PIT has at most one expiry. A guest that counts its ticks would lose those
 * of its neighbours' windows. So the edges that passed meanwhile, in the last MADE_UP at most, are made up for while it
 * runs, PIT_MIN_PERIOD apart. Of those that passed while the channel was dormant it gets one.
 *
 * pit_wake() is called with one of three irqchip locks held, under which the device lock must not be taken. So it only
 * arms the host timer, whose function does the work.
 */
#include <bcd.h>
#include "pit_channel.h"

enum { CONTROL = 3, PORT61 }; /* register numbers behind the three channels' */

#define MADE_UP PIT_HZ /* 1 s */

static u64 pit_now(void) { return mul_div(time_now(), PIT_HZ, time_hz); }

/* Returns the first counter value at which PIT time has reached t. */
static ticks_t deadline_of(u64 t) { return mul_div(t, time_hz, PIT_HZ) + 1; }

static void drive(struct pit *p, bool level) { vm_irq_line(p->dev.vm, 0, level); }

/* Arm the host timer. Interrupts must be off. */
static void set_timer(struct pit *p, ticks_t deadline)
{
    spin_lock(&p->timer_lock);
    timer_arm(&p->timer, deadline);
    spin_unlock(&p->timer_lock);
}

/* Returns the PIT time of the next edge to signal, or PIT_NEVER. */
static u64 due_at(const struct pit *p) { return MAX(p->next, p->earliest); }

/* Arm the host timer for the next edge to signal if one of the two inputs is unmasked. The order of `dormant` and the
 * masks pairs with pit_wake(). */
static void arm_if_unmasked(struct pit *p)
{
    WRITE_ONCE(p->dormant, true);
    mp_fence();
    if (ioapic_masked(p->dev.vm, 2) && i8259_masked(p->dev.vm, 0))
        return;
    WRITE_ONCE(p->dormant, false);
    u64 due = due_at(p);
    set_timer(p, due == PIT_NEVER ? TICKS_NEVER : deadline_of(due));
}

/* Signal the edge that is due if the timer `fired`, else arm the timer for it. */
static void pass_edge(struct pit *p, bool fired)
{
    unsigned long flags = spin_lock_irqsave(&p->dev.lock);
    u64 now = pit_now();
    if (fired && due_at(p) <= now) {
        u64 late = p->dormant ? 0 : MIN(now - p->next, MADE_UP);
        p->next = pit_next_edge(&p->ch[0], now - late);
        p->earliest = now + PIT_MIN_PERIOD;
        vm_request_pit(p->dev.vm); /* before the edge, so that a vCPU that takes it finds the request */
        drive(p, false);
        drive(p, true);
    } else {
        arm_if_unmasked(p);
    }
    spin_unlock_irqrestore(&p->dev.lock, flags);
}

static void fire(void *arg) { pass_edge(arg, true); }

void pit_resume(struct vm *vm)
{
    struct pc_devices *pc = pc_parts(vm)->devices;
    if (pc)
        pass_edge(&pc->pit, false);
}

void pit_wake(struct vm *vm)
{
    struct pc_devices *pc = pc_parts(vm)->devices;
    mp_fence(); /* the mask is cleared before `dormant` is read */
    if (pc && READ_ONCE(pc->pit.dormant))
        set_timer(&pc->pit, time_now());
}

static void channel_changed(struct pit *p, struct pit_channel *c, u64 now)
{
    if (c != &p->ch[0])
        return;
    p->next = pit_next_edge(c, now);
    p->earliest = 0;
    drive(p, pit_output(c, now));
    arm_if_unmasked(p);
}

/* Set the gate of channel 2; the others' gates are tied high. */
static void set_gate(struct pit_channel *c, bool gate, u64 now)
{
    bool loaded = !(c->control & PIT_NULL_COUNT), run = gate && loaded;
    if (gate == c->gate)
        return;
    c->gate = gate;
    if (!(c->mode & 3)) /* modes 0 and 4 pause */
        c->since = loaded ? now - c->since : 0;
    else if (run || (c->mode & 2))
        c->since = run ? now : 0; /* the others restart */
    else
        return; /* the one-shots continue */
    c->running = run;
}

/* Latch count or status for a guest to read. A latched value stays until it is read. */
static void latch(struct pit_channel *c, bool count, bool status, u64 now)
{
    if (count && !c->latched) {
        c->latch = pit_counter(c, now);
        c->latched = c->access;
    }
    if (status && !c->status)
        c->status = c->control | pit_output(c, now) << 7;
}

/* Set a channel's mode from a control word. */
static void set_mode(struct pit_channel *c, u8 control)
{
    unsigned access = control >> 4 & 3, mode = control >> 1 & 7;
    *c = (struct pit_channel){ .control = (control & 0x3f) | PIT_NULL_COUNT,
                               .count = 65536,
                               .mode = mode & 2 ? mode & 3 : mode,
                               .access = access,
                               .read_high = access == 2,
                               .gate = c->gate };
}

static void write_control(struct pit *p, u8 v, u64 now)
{
    unsigned n = v >> 6;
    if (n < 3 && (v & 0x30)) {
        set_mode(&p->ch[n], v);
        channel_changed(p, &p->ch[n], now);
        return;
    }
    if (n < 3)
        v = 2u << n | 0x10; /* latch command: as a read-back of this channel's count */
    for (unsigned i = 0; i < 3; i++)
        if (v & 2u << i)
            latch(&p->ch[i], !(v & 0x20), !(v & 0x10), now);
}

static void write_count(struct pit *p, struct pit_channel *c, u8 v, u64 now)
{
    if (c->access == 3 && (c->write_high = !c->write_high)) {
        c->low = v;
        return;
    }
    u32 n = c->access == 1 ? v : v << 8 | c->low;
    if (c->control & PIT_BCD)
        n = from_bcd(n);
    c->count = n ? n : pit_range(c);
    c->control &= ~PIT_NULL_COUNT;
    if ((c->mode & 3) != 1) { /* modes 1 and 5 wait for an edge of the gate */
        c->running = c->gate;
        c->since = c->gate ? now : 0;
    }
    channel_changed(p, c, now);
}

/* Port 61h: bits 0-3 as written (gate 2, speaker, two NMI masks), 4 toggles every 15 us (refresh), 5 is OUT2. */
static void pit_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct pit *p = container_of(d, struct pit, dev);
    u64 now = pit_now();
    if (offset == CONTROL) {
        write_control(p, value, now);
    } else if (offset == PORT61) {
        p->port61_bits = value & 15;
        set_gate(&p->ch[2], value & 1, now);
    } else {
        write_count(p, &p->ch[offset], value, now);
    }
}

static u8 read_count(struct pit_channel *c, u64 now)
{
    u8 status = c->status;
    c->status = 0;
    if (status)
        return status;
    u16 v = c->latched ? c->latch : pit_counter(c, now);
    bool high = c->read_high;
    c->read_high ^= c->access == 3;
    c->latched &= high ? ~2 : ~1; /* the access mask also says which bytes are still to be read */
    return high ? v >> 8 : v;
}

static u64 pit_read(struct vdev *d, u32 offset, unsigned size)
{
    struct pit *p = container_of(d, struct pit, dev);
    u64 now = pit_now();
    if (offset == PORT61)
        return p->port61_bits | (now / 18 & 1) << 4 | pit_output(&p->ch[2], now) << 5;
    return offset == CONTROL ? 0xff /* write-only */ : read_count(&p->ch[offset], now);
}

static void pit_reset(struct vdev *d)
{
    struct pit *p = container_of(d, struct pit, dev);
    timer_cancel(&p->timer);
    for (unsigned i = 0; i < 3; i++) {
        p->ch[i].gate = i != 2;
        set_mode(&p->ch[i], 0x30);
    }
    p->next = PIT_NEVER;
    p->earliest = 0;
    p->dormant = false;
    p->port61_bits = 0;
    drive(p, false);
}

PC_DEVICE(pit, .ops = { "pit", pit_read, pit_write, pit_reset, 1 }, .at = offsetof(struct pc_devices, pit),
          .ports = { { 0x40, PORT61 }, { 0x61, 1 } }, .fire = fire);
