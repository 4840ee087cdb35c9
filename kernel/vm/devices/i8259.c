/* SPDX-License-Identifier: MIT */
/*
 * i8259.c - the pair of 8259A interrupt controllers (Intel 231468), with the ELCR of chipsets since EISA.
 *
 * A modern guest masks the pair. An old guest, or one that boots, uses it through the local APIC's LINT0 in ExtINT
 * mode. The pair only signals that its output rose (vm_extint). The vCPU fetches the vector by i8259_ack(), the part's
 * acknowledge cycle, when it can take the interrupt.
 *
 * An edge is remembered until it is acknowledged, although the real part wants the line held up to then; otherwise
 * vm_irq_pulse() would never be seen. Only the ELCR selects level or edge. ICW1's LTIM is ignored, as in chipsets.
 */
#include <string.h>
#include "pc_devices.h"

#define CASCADE 2
#define ELCR    4 /* register number of the first ELCR; the chips' two registers each come before */

enum { ICW1 = 0x10, ICW4_AUTO_EOI = 2, ICW4_NESTED = 0x10 };
enum { OCW2_EOI = 0x20, OCW2_SPECIFIC = 0x40, OCW2_ROTATE = 0x80, OCW3 = 8 };

/* Returns the urgency of the most urgent input in `set`, 0 is the most urgent; 8 if the set is empty. */
static __noinline unsigned urgency(const struct i8259_chip *c, u8 set)
{
    u32 twice = set << 8 | set;
    return __builtin_ctz((u8)(twice >> c->first) | 0x100);
}

/* Returns the inputs in service that hold back less urgent ones. */
static u8 busy(const struct i8259_chip *c) { return c->isr & ~(c->imr & c->special_mask); }

/* Returns the input to be served now: requested, unmasked, more urgent than all in service; -1: none. */
static int request(const struct i8259_chip *c)
{
    unsigned u = urgency(c, c->irr & ~c->imr);
    return u < urgency(c, c->icw4 & ICW4_NESTED ? busy(c) & ~c->cascade : busy(c)) ? (int)((c->first + u) & 7) : -1;
}

/* Recompute the wires between the chips and to the processor. */
static void i8259_update(struct i8259 *p)
{
    struct i8259_chip *m = &p->chip[0];
    m->irr &= ~(1u << CASCADE);
    if (request(&p->chip[1]) >= 0)
        m->irr |= 1u << CASCADE;
    bool was = p->intr;
    p->intr = request(m) >= 0;
    if (p->intr && !was)
        vm_extint(p->dev.vm);
}

/* Acknowledge the input that request() returns, and return it. */
static int acknowledge(struct i8259_chip *c)
{
    int irq = request(c);
    if (irq < 0)
        return irq;
    u8 bit = 1u << irq;
    if (!(c->icw4 & ICW4_AUTO_EOI))
        c->isr |= bit;
    else if (c->rotate_aeoi)
        c->first = (irq + 1) & 7;
    c->irr &= ~(bit & ~c->elcr);
    return irq;
}

/* Set the levels of the inputs. Rising edges are remembered; inputs that the ELCR makes level-triggered follow their
 * level. */
static void set_lines(struct i8259_chip *c, u8 line)
{
    u8 edges = c->irr | (line & ~c->line);
    c->irr = (edges & ~c->elcr) | (line & c->elcr);
    c->line = line;
}

static struct i8259 *pic_of(struct vm *vm)
{
    struct pc_devices *pc = pc_parts(vm)->devices;
    return pc ? &pc->pic : NULL;
}

void i8259_line(struct vm *vm, unsigned irq, bool level)
{
    struct i8259 *p = pic_of(vm);
    if (!p || irq > 15 || irq == CASCADE)
        return;
    struct i8259_chip *c = &p->chip[irq / 8];
    u8 bit = 1u << (irq & 7);
    unsigned long flags = spin_lock_irqsave(&p->dev.lock);
    set_lines(c, level ? c->line | bit : c->line & ~bit);
    i8259_update(p);
    spin_unlock_irqrestore(&p->dev.lock, flags);
}

/* Takes no lock: a stale answer is corrected by the vm_extint() after a rise, or by i8259_ack() returning -1. */
bool i8259_pending(struct vm *vm)
{
    struct i8259 *p = pic_of(vm);
    return p && READ_ONCE(p->intr);
}

int i8259_ack(struct vm *vm)
{
    struct i8259 *p = pic_of(vm);
    if (!p)
        return -1;
    unsigned long flags = spin_lock_irqsave(&p->dev.lock);
    struct i8259_chip *c = &p->chip[0];
    int irq = acknowledge(c);
    if (irq == CASCADE) {
        c = &p->chip[1];
        irq = acknowledge(c) &
              7; /* the cascade bit is set only if there is one (i8259_update()); without one the part answers 7 */
    }
    int vector = irq < 0 ? irq : c->base + irq;
    p->intr = false; /* so that a remaining request is announced again */
    i8259_update(p);
    spin_unlock_irqrestore(&p->dev.lock, flags);
    return vector;
}

bool i8259_masked(struct vm *vm, unsigned irq)
{
    struct i8259 *p = pic_of(vm);
    return !p || READ_ONCE(p->chip[irq / 8].imr) >> (irq & 7) & 1;
}

/* Reset a chip, but for the levels of its inputs and the ELCR. */
static void initialize_chip(struct i8259_chip *c)
{
    memset(c, 0, offsetof(struct i8259_chip, line));
    set_lines(c, c->line);
}

static void write_ocw2(struct i8259_chip *c, u8 v)
{
    unsigned irq = v & 7;
    if (!(v & (OCW2_EOI | OCW2_SPECIFIC))) {
        c->rotate_aeoi = v & OCW2_ROTATE;
        return;
    }
    if (!(v & OCW2_SPECIFIC)) {
        unsigned u = urgency(c, busy(c));
        if (u == 8)
            return;
        irq = (c->first + u) & 7;
    }
    if (v & OCW2_EOI)
        c->isr &= ~(1u << irq);
    if (v & OCW2_ROTATE)
        c->first = (irq + 1) & 7;
}

static void write_command(struct i8259_chip *c, u8 v)
{
    if (v & ICW1) {
        initialize_chip(c);
        c->expected = 1u << 2 | (~v & 2) << 2 | (v & 1) << 4;
    } else if (v & OCW3) {
        c->poll = v & 4;
        if (v & 2)
            c->read_isr = v & 1;
        if (v & 0x40)
            c->special_mask = v & 0x20 ? 0xff : 0;
    } else {
        write_ocw2(c, v);
    }
}

static void write_data(struct i8259_chip *c, u8 v)
{
    if (!c->expected)
        c->imr = v;
    else if (c->expected & 1u << 2)
        c->base = v & 0xf8;
    else if (!(c->expected & 1u << 3)) /* ICW3 is ignored, as the wiring is fixed */
        c->icw4 = v;
    c->expected &= c->expected - 1;
}

/* Ports 20h and 21h, a0h and a1h: command and data of each chip; 4d0h and 4d1h: the ELCRs. */
static void pic_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    static const u8 programmable[2] = { 0xf8, 0xde }; /* IRQ 0-2, 8 and 13 are always edge-triggered */
    struct i8259 *p = container_of(d, struct i8259, dev);
    struct i8259_chip *c = &p->chip[offset / 2 & 1];
    if (offset >= ELCR) {
        c = &p->chip[offset - ELCR];
        c->elcr = value & programmable[offset - ELCR];
        set_lines(c, c->line);
    } else if (offset & 1) {
        write_data(c, value);
    } else {
        write_command(c, value);
    }
    i8259_update(p);
    if (!(p->chip[0].imr & 1))
        pit_wake(d->vm);
}

static u64 pic_read(struct vdev *d, u32 offset, unsigned size)
{
    struct i8259 *p = container_of(d, struct i8259, dev);
    if (offset >= ELCR)
        return p->chip[offset - ELCR].elcr;
    struct i8259_chip *c = &p->chip[offset / 2];
    if (!c->poll)
        return offset & 1 ? c->imr : c->read_isr ? c->isr : c->irr;
    c->poll = false;
    int irq = acknowledge(c);
    p->intr = false;
    i8259_update(p);
    return irq < 0 ? 0 : 0x80 | irq;
}

/* All inputs masked, as firmware leaves the pair. */
static void pic_reset(struct vdev *d)
{
    struct i8259 *p = container_of(d, struct i8259, dev);
    for (struct i8259_chip *c = p->chip; c < p->chip + 2; c++) {
        c->elcr = 0;
        initialize_chip(c);
        c->imr = 0xff;
    }
    p->chip[0].cascade = 1u << CASCADE;
    p->intr = false;
}

PC_DEVICE(i8259, .ops = { "i8259", pic_read, pic_write, pic_reset, 1 }, .at = offsetof(struct pc_devices, pic),
          .ports = { { 0x20, 2 }, { 0xa0, 2 }, { 0x4d0, 2 } });
