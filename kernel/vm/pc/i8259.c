/* SPDX-License-Identifier: MIT */
/*
 * i8259.c - the pair of 8259A interrupt controllers (Intel 231468, and the ELCR
 * of every chipset since EISA).
 *
 * A modern guest masks the pair and forgets it; an old one, or a boot phase, runs
 * on it through the local APIC's LINT0 in ExtINT mode.  The pair only says that its
 * output rose (vm_extint); the vCPU fetches the vector by i8259_ack() when it can
 * take the interrupt, which is the part's acknowledge cycle.
 *
 * An edge is remembered until acknowledged although the part wants the line held
 * up to then: vm_irq_pulse() would never be seen otherwise.  Level or edge comes
 * from the ELCR alone; ICW1's LTIM is ignored, as chipsets do.
 */
#include "pc_devices.h"

#define CASCADE       2
#define ELCR          4    /* its first register: two of each chip come before */
#define POWER_ON_MASK 0xff /* quiet until somebody programs it, as firmware leaves it */

/* Position of the most urgent input in `set`, 0 the most urgent; 8 for none. */
static unsigned urgency(const struct i8259_chip *c, u8 set)
{
    unsigned i = 0;
    while (i < 8 && !(set >> ((c->lowest + 1 + i) & 7) & 1))
        i++;
    return i;
}

/* The input to be served now, or -1: requested, unmasked, more urgent than all in service. */
static int chip_request(const struct i8259_chip *c, bool master)
{
    u8 busy = c->special_mask ? c->isr & ~c->imr : c->isr;
    if (master && c->nested)
        busy &= ~(1u << CASCADE);
    unsigned u = urgency(c, c->irr & ~c->imr);
    return u < urgency(c, busy) ? (int)((c->lowest + 1 + u) & 7) : -1;
}

/* Recompute the wires between the chips and to the processor. */
static void update(struct i8259 *p)
{
    struct i8259_chip *m = &p->chip[0];
    m->irr &= ~(1u << CASCADE);
    if (chip_request(&p->chip[1], false) >= 0)
        m->irr |= 1u << CASCADE;
    bool was = p->intr;
    p->intr = chip_request(m, true) >= 0;
    if (p->intr && !was)
        vm_extint(p->dev.vm);
}

static void acknowledge(struct i8259_chip *c, unsigned irq)
{
    if (!c->auto_eoi)
        c->isr |= 1u << irq;
    else if (c->rotate_aeoi)
        c->lowest = irq;
    if (!(c->elcr >> irq & 1))
        c->irr &= ~(1u << irq);
}

static struct i8259 *pic_of(struct vm *vm)
{
    struct pc_devices *pc = vm_devs(vm)->pc;
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
    if (level && ((c->elcr | ~c->line) & bit))
        c->irr |= bit;
    else if (!level && (c->elcr & bit))
        c->irr &= ~bit;
    c->line = level ? c->line | bit : c->line & ~bit;
    update(p);
    spin_unlock_irqrestore(&p->dev.lock, flags);
}

/* No lock: a stale answer is corrected by the vm_extint() that follows a rise, or by ack's -1. */
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
    struct i8259_chip *m = &p->chip[0], *s = &p->chip[1];
    int irq = chip_request(m, true), vector = irq;
    if (irq >= 0) {
        vector = m->base + irq;
        if (irq == CASCADE) {
            int slave = chip_request(s, false);
            if (slave >= 0) /* it is: update() keeps the cascade bit in step */
                acknowledge(s, slave);
            vector = s->base + (slave & 7); /* and were it not, 7 is the part's answer */
        }
        acknowledge(m, irq);
        p->intr = false; /* so that what remains is announced again */
        update(p);
    }
    spin_unlock_irqrestore(&p->dev.lock, flags);
    return vector;
}

bool i8259_masked(struct vm *vm, unsigned irq)
{
    struct i8259 *p = pic_of(vm);
    return !p || READ_ONCE(p->chip[irq / 8].imr) >> (irq & 7) & 1;
}

static void write_icw1(struct i8259_chip *c, u8 v)
{
    *c = (struct i8259_chip){ .line = c->line,
                              .elcr = c->elcr,
                              .irr = c->line & c->elcr,
                              .lowest = 7,
                              .init = 2,
                              .icw4 = v & 1,
                              .single = v & 2 };
}

static void write_ocw2(struct i8259_chip *c, u8 v)
{
    unsigned command = v >> 5, irq = v & 7;
    bool eoi = command & 1, specific = command & 2, rotate = command & 4;
    if (!eoi && !specific)
        c->rotate_aeoi = rotate;
    if (eoi && !specific) {
        unsigned u = urgency(c, c->special_mask ? c->isr & ~c->imr : c->isr);
        if (u == 8)
            return;
        irq = (c->lowest + 1 + u) & 7;
    }
    if (eoi)
        c->isr &= ~(1u << irq);
    if (rotate && (eoi || specific))
        c->lowest = irq;
}

static void write_ocw3(struct i8259_chip *c, u8 v)
{
    c->poll = v & 4;
    if (v & 2)
        c->read_isr = v & 1;
    if (v & 0x40)
        c->special_mask = v & 0x20;
}

static void write_data(struct i8259_chip *c, u8 v)
{
    switch (c->init) {
    case 2:
        c->base = v & 0xf8;
        c->init = !c->single ? 3 : c->icw4 ? 4 : 0;
        break;
    case 3: /* the wiring is what it is */ c->init = c->icw4 ? 4 : 0; break;
    case 4:
        c->auto_eoi = v & 2;
        c->nested = v & 0x10;
        c->init = 0;
        break;
    default: c->imr = v;
    }
}

/* Ports 20h and 21h, a0h and a1h: command and data of each chip. */
static void write_chip(struct i8259_chip *c, bool data, u8 v)
{
    if (data)
        write_data(c, v);
    else if (v & 0x10)
        write_icw1(c, v);
    else if (v & 8)
        write_ocw3(c, v);
    else
        write_ocw2(c, v);
}

/* Ports 4d0h and 4d1h. */
static void write_elcr(struct i8259_chip *c, u8 v)
{
    c->elcr = v;
    c->irr = (c->irr & ~c->elcr) | (c->line & c->elcr);
}

static void pic_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    static const u8 programmable[2] = { 0xf8, 0xde }; /* IRQ 0-2, 8 and 13 are edges for ever */
    struct i8259 *p = container_of(d, struct i8259, dev);
    if (offset >= ELCR)
        write_elcr(&p->chip[offset - ELCR], value & programmable[offset - ELCR]);
    else
        write_chip(&p->chip[offset / 2], offset & 1, value);
    update(p);
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
    int irq = chip_request(c, offset < 2);
    c->poll = false;
    if (irq < 0)
        return 0;
    acknowledge(c, irq);
    p->intr = false;
    update(p);
    return 0x80 | irq;
}

static void pic_reset(struct vdev *d)
{
    struct i8259 *p = container_of(d, struct i8259, dev);
    for (int i = 0; i < 2; i++)
        p->chip[i] = (struct i8259_chip){ .line = p->chip[i].line, .imr = POWER_ON_MASK, .lowest = 7 };
    p->intr = false;
}

static const struct vdev_ops pic_ops = { "i8259", pic_read, pic_write, pic_reset };

__init_text int i8259_create(struct vm *vm, struct i8259 *p)
{
    static const u16 port[3] = { 0x20, 0xa0, 0x4d0 };
    int err = 0;
    p->dev = (struct vdev){ .ops = &pic_ops, .vm = vm };
    pic_reset(&p->dev);
    for (int i = 0; i < 3 && !err; i++)
        err = vm_claim_pio(vm, port[i], 2, &p->dev);
    return err;
}
