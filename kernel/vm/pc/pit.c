/* SPDX-License-Identifier: MIT */
/*
 * pit.c - the 8254 interval timer and port 61h (Intel 231164).
 *
 * Nothing ticks here.  A channel is a load time and a count; what a guest reads is
 * computed from the time at which it reads (pit_channel.c).  Only channel 0 can interrupt (GSI 2
 * and input 0 of the 8259 pair), and a host timer is armed for its next rising
 * edge only while one of the two is unmasked; otherwise the channel is dormant
 * until pit_wake().  Edges that were missed are not made up for.
 *
 * Differences from the part: a new count takes effect at once in modes 2 and 3
 * (the part finishes the period), and edges of a period shorter than MIN_PERIOD
 * are thinned out so that a guest cannot flood its core with host interrupts.
 *
 * A host timer is the kernel's work, in whatever window it falls: after an edge the next
 * one is armed only when a vCPU comes to run, so that outside of its guest's windows
 * the PIT has one expiry at most.
 *
 * pit_wake() comes with irqchip locks held, one or another of three, where the device
 * lock must not be taken: it only arms the host timer, whose function does the work.
 */
#include "pc_devices.h"
#include "pit_channel.h"

#define NS 1000000000ul

enum { CONTROL = 3, PORT61 }; /* registers behind those of the three channels */

static u64 pit_now(void)
{
    u64 ns = time_to_ns(time_now());
    return ns / NS * PIT_HZ + ns % NS * PIT_HZ / NS;
}

/* The first counter value at which PIT time has reached t. */
static ticks_t deadline_of(u64 t) { return time_from_ns(t / PIT_HZ * NS + t % PIT_HZ * NS / PIT_HZ + 1) + 1; }

static void drive(struct pit *p, bool level)
{
    vm_irq_line(p->dev.vm, 2, level);
    i8259_line(p->dev.vm, 0, level);
}

/* Interrupts off. */
static void set_timer(struct pit *p, ticks_t deadline)
{
    spin_lock(&p->timer_lock);
    timer_arm(&p->timer, deadline);
    spin_unlock(&p->timer_lock);
}

/* Arm for p->next if somebody listens. The order of `dormant` and the masks pairs with pit_wake(). */
static void arm(struct pit *p)
{
    if (p->next == PIT_NEVER) {
        p->dormant = false;
        timer_cancel(&p->timer);
        return;
    }
    WRITE_ONCE(p->dormant, true);
    mp_fence();
    if (ioapic_masked(p->dev.vm, 2) && i8259_masked(p->dev.vm, 0))
        return;
    WRITE_ONCE(p->dormant, false);
    set_timer(p, deadline_of(p->next));
}

static void fire(void *arg)
{
    struct pit *p = arg;
    unsigned long flags = spin_lock_irqsave(&p->dev.lock);
    u64 now = pit_now();
    bool edge = p->next <= now;
    if (edge) {
        p->next = pit_next_edge(&p->ch[0], now);
        vm_await_pit(p->dev.vm); /* before the edge: who takes it finds the request */
        drive(p, false);
        drive(p, true);
    } else {
        arm(p);
    }
    spin_unlock_irqrestore(&p->dev.lock, flags);
}

void pit_resume(struct vm *vm)
{
    struct pc_devices *pc = vm_devs(vm)->pc;
    if (!pc)
        return;
    struct pit *p = &pc->pit;
    unsigned long flags = spin_lock_irqsave(&p->dev.lock);
    u64 now = pit_now();
    if (p->next <= now)
        p->next = pit_next_edge(&p->ch[0], now);
    arm(p);
    spin_unlock_irqrestore(&p->dev.lock, flags);
}

void pit_wake(struct vm *vm)
{
    struct pc_devices *pc = vm_devs(vm)->pc;
    mp_fence(); /* the mask is clear before `dormant` is read */
    if (pc && READ_ONCE(pc->pit.dormant))
        set_timer(&pc->pit, time_now());
}

static void channel_changed(struct pit *p, struct pit_channel *c, u64 now)
{
    if (c != &p->ch[0])
        return;
    p->next = pit_next_edge(c, now);
    drive(p, pit_output(c, now));
    arm(p);
}

static void load(struct pit *p, struct pit_channel *c, u16 v)
{
    u64 now = pit_now();
    if (c->bcd)
        v = (v & 15) + (v >> 4 & 15) * 10 + (v >> 8 & 15) * 100 + (v >> 12) * 1000;
    c->count = v ? v : c->bcd ? 10000 : 65536;
    if (c->mode != 1 && c->mode != 5) { /* those wait for the gate's edge */
        c->start = now;
        c->held = 0;
        c->running = c->gate;
    }
    channel_changed(p, c, now);
}

static void set_gate(struct pit *p, struct pit_channel *c, bool gate)
{
    u64 now = pit_now(), e = pit_elapsed(c, now);
    bool rise = gate && !c->gate, pausing = c->mode == 0 || c->mode == 4;
    c->gate = gate;
    if (rise) {
        c->start = pausing ? now - c->held : now;
        c->running = c->count;
    } else if (!gate && c->mode != 1 && c->mode != 5) {
        c->held = pausing ? e : 0;
        c->running = false;
    }
    channel_changed(p, c, now);
}

static void latch_count(struct pit_channel *c, u64 now)
{
    if (c->latched)
        return; /* the first latch holds until read */
    c->latch = pit_counter(c, now);
    c->latched = c->access;
}

static void latch_status(struct pit_channel *c, u64 now)
{
    if (c->status_latched)
        return;
    c->status = pit_output(c, now) << 7 | !c->count << 6 | c->access << 4 | c->mode << 1 | c->bcd;
    c->status_latched = true;
}

static void write_control(struct pit *p, u8 v)
{
    u64 now = pit_now();
    unsigned n = v >> 6, access = v >> 4 & 3, mode = v >> 1 & 7;
    if (n == 3) { /* read-back */
        for (unsigned i = 0; i < 3; i++) {
            if (!(v & 2u << i))
                continue;
            if (!(v & 0x20))
                latch_count(&p->ch[i], now);
            if (!(v & 0x10))
                latch_status(&p->ch[i], now);
        }
        return;
    }
    struct pit_channel *c = &p->ch[n];
    if (!access) {
        latch_count(c, now);
        return;
    }
    *c = (struct pit_channel){ .mode = mode > 5 ? mode - 4 : mode, .access = access, .bcd = v & 1, .gate = c->gate };
    channel_changed(p, c, now);
}

/* Port 61h: bits 0-3 as written (gate 2, speaker, two NMI masks), 4 toggles every 15 us (refresh), 5 is OUT2. */
static u8 read_port61(const struct pit *p)
{
    u64 now = pit_now();
    return p->port61_bits | (now / 18 & 1) << 4 | pit_output(&p->ch[2], now) << 5;
}

static void write_port61(struct pit *p, u8 v)
{
    p->port61_bits = v & 15;
    if ((v & 1) != p->ch[2].gate)
        set_gate(p, &p->ch[2], v & 1);
}

static void write_count(struct pit *p, struct pit_channel *c, u8 v)
{
    if (c->access == 1)
        load(p, c, v);
    else if (c->access == 2)
        load(p, c, v << 8);
    else if (!(c->write_high = !c->write_high))
        load(p, c, v << 8 | c->low);
    else
        c->low = v;
}

static void pit_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct pit *p = container_of(d, struct pit, dev);
    if (offset == PORT61)
        write_port61(p, value);
    else if (offset == CONTROL)
        write_control(p, value);
    else
        write_count(p, &p->ch[offset], value);
}

static u8 read_count(struct pit_channel *c)
{
    if (c->status_latched) {
        c->status_latched = false;
        return c->status;
    }
    u16 v = c->latched ? c->latch : pit_counter(c, pit_now());
    bool high = c->access == 2 || (c->access == 3 && c->read_high);
    if (c->access == 3)
        c->read_high = !c->read_high;
    c->latched &= high ? ~2 : ~1; /* the access mask doubles as the bytes still to come */
    return high ? v >> 8 : v;
}

static u64 pit_read(struct vdev *d, u32 offset, unsigned size)
{
    struct pit *p = container_of(d, struct pit, dev);
    if (offset == PORT61)
        return read_port61(p);
    return offset == CONTROL ? 0xff /* write-only */ : read_count(&p->ch[offset]);
}

static void pit_reset(struct vdev *d)
{
    struct pit *p = container_of(d, struct pit, dev);
    timer_cancel(&p->timer);
    for (unsigned i = 0; i < 3; i++)
        p->ch[i] = (struct pit_channel){ .access = 3, .gate = i != 2 };
    p->next = PIT_NEVER;
    p->dormant = false;
    p->port61_bits = 0;
    drive(p, false);
}

static const struct vdev_ops pit_ops = { "pit", pit_read, pit_write, pit_reset };

__init_text int pit_create(struct vm *vm, struct pit *p)
{
    p->dev = (struct vdev){ .ops = &pit_ops, .vm = vm };
    timer_init(&p->timer, fire, p);
    pit_reset(&p->dev);
    int err = vm_claim_pio(vm, 0x40, PORT61, &p->dev);
    return err ? err : vm_claim_pio(vm, 0x61, 1, &p->dev);
}
