/* SPDX-License-Identifier: MIT */
/*
 * lapic_regs.c - the local APIC as its guest sees it: xAPIC registers, the same as
 * x2APIC MSRs, and the messages that the interrupt command register and the I/O APIC
 * send (APM vol. 2, 16.3 to 16.9).
 *
 * Registers are read and written by the vCPU's own thread; a message comes from any,
 * and what it has to say to the vCPU goes through its IRR or its requests.
 */
#include "lapic.h"

#include <string.h>

#define BASE_BSP           (1u << 8)
#define BASE_X2APIC        (1u << 10)
#define BASE_ENABLE        (1u << 11)
#define ESR_ILLEGAL_VECTOR (1u << 6)

enum { DELIVER_FIXED, DELIVER_LOWEST, DELIVER_SMI, DELIVER_NMI = 4, DELIVER_INIT, DELIVER_SIPI, DELIVER_EXTINT };

/* --- messages ----------------------------------------------------------------------------------- */

static bool addressed(const struct pc_vcpu *v, u32 dest, bool logical)
{
    const struct lapic *a = &v->lapic;
    if (dest == 0xffffffff || (dest == 0xff && (!lapic_x2apic(v) || !logical)))
        return true;
    if (!logical)
        return dest == a->id;
    if (lapic_x2apic(v)) /* ids stay below 8: one cluster, and its members' bits are those of a flat 8-bit mask */
        return dest >> 16 == 0 && dest >> a->id & 1;
    if (a->dfr >> 28 == 0xf)
        return a->ldr >> 24 & dest & 0xff;
    return (a->ldr >> 28) == (dest >> 4 & 0xf) && (a->ldr >> 24 & dest & 0xf);
}

static void deliver(struct pc_vcpu *v, unsigned vector, unsigned mode, bool level)
{
    switch (mode) {
    case DELIVER_FIXED:
    case DELIVER_LOWEST: lapic_accept(v, vector, level); break;
    case DELIVER_NMI: vcpu_request(&v->vcpu, REQ_NMI); break;
    case DELIVER_INIT: vcpu_request(&v->vcpu, REQ_INIT); break;
    case DELIVER_SIPI: /* to one that runs it is nothing; latched, it would start it again after a later INIT */
        if (!(READ_ONCE(v->vcpu.requests) & (REQ_INIT | REQ_WAIT)))
            break;
        WRITE_ONCE(v->sipi_vector, (u8)vector);
        vcpu_request(&v->vcpu, REQ_SIPI);
        break;
    case DELIVER_EXTINT: vcpu_request(&v->vcpu, REQ_EXTINT); break;
    }
}

void vm_apic_message(struct vm *vm, u32 dest, bool logical, unsigned vector, unsigned mode, bool level)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        struct pc_vcpu *v = pc_of(vm->vcpu[i]);
        if (!addressed(v, dest, logical))
            continue;
        deliver(v, vector, mode, level);
        if (mode == DELIVER_LOWEST)
            return;
    }
}

void lapic_send(struct pc_vcpu *v, u64 icr)
{
    unsigned mode = icr >> 8 & 7, shorthand = icr >> 18 & 3, vector = icr & 0xff;
    struct vm *vm = v->vcpu.vm;
    if (mode == DELIVER_INIT && (icr & (1u << 15)) && !(icr & (1u << 14)))
        return; /* the old INIT de-assert */
    if (mode <= DELIVER_LOWEST && vector < 16) {
        v->lapic.esr |= ESR_ILLEGAL_VECTOR;
        return;
    }
    if (shorthand == 0) {
        vm_apic_message(vm, icr >> 32, icr >> 11 & 1, vector, mode, false);
        return;
    }
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        struct pc_vcpu *to = pc_of(vm->vcpu[i]);
        if (shorthand == 1 ? to == v : shorthand == 2 || to != v)
            deliver(to, vector, mode, false);
    }
}

bool lapic_takes_extint(const struct pc_vcpu *v)
{
    u32 lint0 = v->lapic.lvt[LVT_LINT0];
    bool enabled = v->lapic.base & BASE_ENABLE;
    return !enabled || (!(lint0 & LVT_MASKED) && (lint0 >> 8 & 7) == DELIVER_EXTINT);
}

/* --- registers ----------------------------------------------------------------------------------- */

static unsigned priority(const struct lapic *a)
{
    return class_of(a->isr_top) > class_of(a->tpr) ? a->isr_top & 0xf0u : a->tpr;
}

/* ISR, TMR, IRR: word n of the 24. What is offered counts as waiting, what was taken since the last look as in service.
 */
static u32 vector_bits(struct pc_vcpu *v, unsigned n)
{
    struct lapic *a = &v->lapic;
    lapic_left(v);
    if (n < 8)
        return a->isr[n];
    if (n < 16)
        return READ_ONCE(a->tmr[n - 8]);
    return READ_ONCE(a->irr[n - 16]) | (a->offered && a->offered / 32 == n - 16 ? 1u << a->offered % 32 : 0);
}

bool lapic_read(struct pc_vcpu *v, unsigned reg, u64 *value)
{
    const struct lapic *a = &v->lapic;
    bool x2 = lapic_x2apic(v);
    switch (reg) {
    case 0x02: *value = x2 ? a->id : a->id << 24; break;
    case 0x03: *value = 0x14 | (LVT_COUNT - 1) << 16; break;
    case 0x08: *value = a->tpr; break;
    case 0x09:
    case 0x0a: *value = priority(a); break;
    case 0x0d: *value = x2 ? 1u << (a->id & 15) : a->ldr; break;
    case 0x0e: *value = a->dfr; return !x2;
    case 0x0f: *value = a->svr; break;
    case 0x10 ... 0x27: *value = vector_bits(v, reg - 0x10); break;
    case 0x28: *value = a->esr; break;
    case 0x30: *value = x2 ? a->icr : (u32)a->icr; break;
    case 0x31: *value = a->icr >> 32; return !x2;
    case 0x32 ... 0x37: *value = a->lvt[reg - 0x32]; break;
    case 0x38: *value = a->timer_initial; break;
    case 0x39: *value = lapic_timer_count(a); break;
    case 0x3e: *value = a->divide; break;
    default: *value = 0; return false;
    }
    return true;
}

static void set_tpr(struct pc_vcpu *v, u32 value)
{
    struct vmcb *b = v->vcpu.hal.vmcb;
    v->lapic.tpr = (u8)value;
    b->vintr = (b->vintr & ~VINTR_TPR) | (value >> 4 & 0xf);
    vcpu_dirty(&v->vcpu.hal, CLEAN_VINTR);
}

static void set_lvt(struct pc_vcpu *v, unsigned n, u32 value)
{
    struct lapic *a = &v->lapic;
    unsigned old_mode = lapic_timer_mode(a);
    a->lvt[n] = value & (n == LVT_TIMER ? 0x700ff : 0x1a7ff);
    if (!(a->svr & SVR_ENABLE))
        a->lvt[n] |= LVT_MASKED;
    if (n == LVT_TIMER && lapic_timer_mode(a) != old_mode)
        lapic_timer_stop(a);
}

static void set_svr(struct lapic *a, u32 value)
{
    a->svr = value & 0x1ff;
    for (unsigned i = 0; i < LVT_COUNT && !(a->svr & SVR_ENABLE); i++)
        a->lvt[i] |= LVT_MASKED;
}

bool lapic_write(struct pc_vcpu *v, unsigned reg, u64 value)
{
    struct lapic *a = &v->lapic;
    bool x2 = lapic_x2apic(v);
    if (x2 && reg != 0x30 && value >> 32)
        return false;
    switch (reg) {
    case 0x08: set_tpr(v, value & 0xff); break;
    case 0x0b: lapic_eoi(v); return !x2 || !value;
    case 0x0d: a->ldr = value & 0xff000000; return !x2;
    case 0x0e: a->dfr = value | 0x0fffffff; return !x2;
    case 0x0f: set_svr(a, value); break;
    case 0x28: a->esr = 0; return !x2 || !value;
    case 0x30:
        a->icr = (x2 ? value : (a->icr & ~0xfffffffful) | (u32)value) & ~(1ul << 12);
        lapic_send(v, x2 ? a->icr : (a->icr & 0xfffffffful) | a->icr >> 56 << 32);
        break;
    case 0x31: a->icr = (u32)a->icr | value << 32; return !x2;
    case 0x32 ... 0x37: set_lvt(v, reg - 0x32, value); break;
    case 0x38:
        a->timer_initial = value;
        lapic_timer_start(v);
        break;
    case 0x3e: a->divide = value & 0xb; break;
    case 0x3f:
        if (!x2)
            return false;
        lapic_send(v, (value & 0xff) | 1ul << 18);
        break;
    default: return false;
    }
    return true;
}

/* Off, xAPIC, x2APIC; the address stays where it is (16.3.1, 16.9). */
bool lapic_set_base(struct pc_vcpu *v, u64 value)
{
    struct lapic *a = &v->lapic;
    u64 mode = value & (BASE_ENABLE | BASE_X2APIC), old = a->base & (BASE_ENABLE | BASE_X2APIC);
    if ((value & ~0xd00ul) != LAPIC_BASE || mode == BASE_X2APIC ||
        (old == (BASE_ENABLE | BASE_X2APIC) && mode == BASE_ENABLE))
        return false;
    a->base = LAPIC_BASE | mode | (a->base & BASE_BSP);
    return true;
}

void lapic_reset(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    lapic_timer_stop(a);
    memset(a->irr, 0, offsetof(struct lapic, timer) - offsetof(struct lapic, irr));
    a->dfr = ~0u;
    set_svr(a, 0xff);
    a->base = LAPIC_BASE | BASE_ENABLE | (a->id == 0 ? BASE_BSP : 0);
    if (a->id == 0) { /* as a BIOS leaves it: 8259 through LINT0, NMI on LINT1 (16.3.2, "virtual wire") */
        a->svr = SVR_ENABLE | 0xff;
        a->lvt[LVT_LINT0] = DELIVER_EXTINT << 8;
        a->lvt[LVT_LINT1] = DELIVER_NMI << 8;
    }
    vcpu_withdraw_irq(&v->vcpu.hal);
    set_tpr(v, 0);
}

__init_text void lapic_init(struct pc_vcpu *v)
{
    v->lapic.id = v->vcpu.id;
    lapic_timer_init(v);
}
