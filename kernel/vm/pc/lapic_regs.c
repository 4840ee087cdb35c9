/* SPDX-License-Identifier: MIT */
/*
 * lapic_regs.c - the local APIC's registers as xAPIC memory and as x2APIC MSRs, and the messages that the interrupt
 * command register and the I/O APIC send (APM vol. 2, 16.3 to 16.9).
 *
 * Registers are read and written by the vCPU's own thread. A message comes from any thread and acts on the vCPU through
 * its IRR or its requests.
 */
#include "lapic.h"

#include <string.h>

#define BASE_BSP           (1u << 8)
#define BASE_X2APIC        (1u << 10)
#define BASE_ENABLE        (1u << 11)
#define ESR_ILLEGAL_VECTOR (1u << 6)
#define ICR_LOGICAL        (1u << 11)
#define ICR_BUSY           (1u << 12)
#define ICR_LEVEL          (1u << 15)

enum { DELIVER_FIXED, DELIVER_LOWEST, DELIVER_SMI, DELIVER_NMI = 4, DELIVER_INIT, DELIVER_SIPI, DELIVER_EXTINT };

/* --- messages ----------------------------------------------------------------------------------- */

static bool addressed(const struct pc_vcpu *v, u32 dest, bool logical)
{
    const struct lapic *a = &v->lapic;
    bool x2 = lapic_x2apic(v);
    if (dest == 0xffffffff || (dest == 0xff && !(x2 && logical)))
        return true;
    if (!logical)
        return dest == a->id;
    if (x2) /* ids are below 8: one cluster, whose members' bits are those of a flat 8-bit mask */
        return dest >> 16 == 0 && dest >> a->id & 1;
    u8 own = a->ldr >> 24, to = dest;
    if (a->dfr >> 28 == 0xf) /* flat */
        return own & to;
    return (own ^ to) < 16 && own & to & 0xf;
}

static void icr_deliver(struct pc_vcpu *v, unsigned vector, unsigned mode, bool level)
{
    static const u16 request[8] = {
        [DELIVER_NMI] = REQ_NMI, [DELIVER_INIT] = REQ_INIT, [DELIVER_SIPI] = REQ_SIPI, [DELIVER_EXTINT] = REQ_EXTINT
    };
    if (mode <= DELIVER_LOWEST)
        return lapic_accept(v, vector, level);
    if (mode == DELIVER_SIPI) {
        if (!(READ_ONCE(v->vcpu.requests) & (REQ_INIT | REQ_WAIT)))
            return; /* ignored by a CPU that runs; if it were kept it would start the CPU after a later INIT */
        WRITE_ONCE(v->sipi_vector, (u8)vector);
    }
    vcpu_request(&v->vcpu, request[mode]); /* SMI and the reserved modes request nothing */
}

/* Deliver to all vCPUs that are addressed; lowest priority: to the first of them. `from`: the vCPU that the shorthand
 * is relative to. */
static void send(struct vm *vm, u64 icr, unsigned from)
{
    unsigned shorthand = icr >> 18 & 3, mode = icr >> 8 & 7;
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        struct pc_vcpu *to = pc_of(vm->vcpu[i]);
        if (!shorthand ? !addressed(to, icr >> 32, icr & ICR_LOGICAL) : shorthand == (i == from ? 3 : 1))
            continue;
        icr_deliver(to, icr & 0xff, mode, icr & ICR_LEVEL);
        if (mode == DELIVER_LOWEST)
            return;
    }
}

void vm_apic_message(struct vm *vm, u64 icr) { send(vm, icr, 0); }

void lapic_send(struct pc_vcpu *v, u64 icr)
{
    if ((icr & (7 << 8 | ICR_LEVEL | ICR_ASSERT)) == (DELIVER_INIT << 8 | ICR_LEVEL))
        return;         /* INIT level de-assert, which does nothing */
    if (!(icr & 0x6f0)) /* fixed or lowest priority, vector below 16 */
        v->lapic.esr |= ESR_ILLEGAL_VECTOR;
    else
        send(v->vcpu.vm, icr & ~(u64)ICR_LEVEL, v->vcpu.id);
}

bool lapic_takes_extint(const struct pc_vcpu *v)
{
    u32 lint0 = v->lapic.lvt[LVT_LINT0];
    bool enabled = v->lapic.base & BASE_ENABLE;
    return !enabled || (!(lint0 & LVT_MASKED) && (lint0 >> 8 & 7) == DELIVER_EXTINT);
}

/* --- registers ----------------------------------------------------------------------------------- */

enum {
    ID = 0x02,
    VERSION = 0x03,
    TPR = 0x08,
    APR = 0x09,
    PPR = 0x0a,
    EOI = 0x0b,
    LDR = 0x0d,
    DFR = 0x0e,
    SVR = 0x0f,
    ISR = 0x10,
    TMR = 0x18,
    IRR = 0x20,
    ESR = 0x28,
    ICR = 0x30,
    ICR_HIGH = 0x31,
    LVT = 0x32,
    INITIAL_COUNT = 0x38,
    COUNT = 0x39,
    DIVIDE = 0x3e,
    SELF_IPI = 0x3f,
};

#define WORD(field)  (offsetof(struct lapic, field) / 4)
#define WORDS(first) (first), (first) + 1, (first) + 2, (first) + 3, (first) + 4, (first) + 5
#define BITS(first)  WORDS(first), (first) + 6, (first) + 7

/* The word of struct lapic that holds a register which reads the same in both modes; 0: none. */
static const u8 words[] = { [SVR] = WORD(svr), BITS(WORD(isr)),          BITS(WORD(tmr)),    BITS(WORD(irr)),
                            WORD(esr),         [LVT] = WORDS(WORD(lvt)), WORD(timer_initial) };

static unsigned priority(const struct lapic *a)
{
    return class_of(a->isr_top) > class_of(a->tpr) ? a->isr_top & 0xf0u : a->tpr;
}

/* Read such a word. First update which interrupt is in service; an offered one still counts as pending. */
static bool read_word(struct pc_vcpu *v, unsigned reg, u64 *value)
{
    const struct lapic *a = &v->lapic;
    unsigned word = reg < ARRAY_SIZE(words) ? words[reg] : 0;
    lapic_sync(v);
    *value = word ? ((const u32 *)a)[word] : 0;
    if (a->offered && reg == IRR + a->offered / 32u)
        *value |= 1u << a->offered % 32;
    return word;
}

bool lapic_read(struct pc_vcpu *v, unsigned reg, u64 *value)
{
    const struct lapic *a = &v->lapic;
    bool x2 = lapic_x2apic(v);
    switch (reg) {
    case ID: *value = x2 ? a->id : a->id << 24; break;
    case VERSION: *value = 0x14 | (LVT_COUNT - 1) << 16; break;
    case TPR: *value = a->tpr; break;
    case APR:
    case PPR: *value = priority(a); break;
    case LDR: *value = x2 ? 1u << a->id : a->ldr; break;
    case DFR: *value = a->dfr; return !x2;
    case ICR: *value = x2 ? a->icr : (u32)a->icr; break;
    case ICR_HIGH: *value = a->icr >> 32 << 24; return !x2;
    case COUNT: *value = lapic_timer_count(a); break;
    case DIVIDE: *value = a->divide; break;
    default: return read_word(v, reg, value);
    }
    return true;
}

static void set_tpr(struct pc_vcpu *v, u32 value)
{
    v->lapic.tpr = (u8)value;
    vcpu_set_tpr(&v->vcpu.hal, value);
}

static void set_lvt(struct pc_vcpu *v, unsigned n, u32 value)
{
    struct lapic *a = &v->lapic;
    bool was_deadline = lapic_timer_mode(a) == MODE_DEADLINE;
    value &= n == LVT_TIMER ? 0x700ff : 0x1a7ff;
    a->lvt[n] = a->svr & SVR_ENABLE ? value : value | LVT_MASKED;
    if ((lapic_timer_mode(a) == MODE_DEADLINE) == was_deadline)
        return; /* from one-shot to periodic or back the count goes on */
    lapic_timer_stop(a);
    a->timer_initial = 0;
}

static void set_svr(struct lapic *a, u32 value)
{
    a->svr = value & 0x1ff;
    for (unsigned i = 0; i < LVT_COUNT && !(value & SVR_ENABLE); i++)
        a->lvt[i] |= LVT_MASKED;
}

bool lapic_write(struct pc_vcpu *v, unsigned reg, u64 value)
{
    struct lapic *a = &v->lapic;
    bool x2 = lapic_x2apic(v);
    if (x2 && reg != ICR && value >> 32)
        return false;
    switch (reg) {
    case TPR: set_tpr(v, value & 0xff); break;
    case EOI: lapic_eoi(v); return !x2 || !value;
    case LDR: a->ldr = value & 0xff000000; return !x2;
    case DFR: a->dfr = value | 0x0fffffff; return !x2;
    case SVR: set_svr(a, value); break;
    case ESR: a->esr = 0; return !x2 || !value;
    case ICR:
        if (!x2)
            value = a->icr >> 32 << 32 | (u32)value;
        a->icr = value & ~(u64)ICR_BUSY;
        lapic_send(v, value);
        break;
    case ICR_HIGH: a->icr = (u32)a->icr | (value >> 24 & 0xff) << 32; return !x2;
    case LVT ... LVT + LVT_COUNT - 1: set_lvt(v, reg - LVT, value); break;
    case INITIAL_COUNT: lapic_timer_start(v, value); break;
    case DIVIDE: a->divide = value & 0xb; break;
    case SELF_IPI:
        if (!x2)
            return false;
        lapic_send(v, (value & 0xff) | ICR_SELF);
        break;
    default: return false;
    }
    return true;
}

/* Set the mode: off, xAPIC, x2APIC. The address cannot be changed (16.3.1, 16.9). */
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

void lapic_init(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    u64 base = a->base;
    lapic_timer_stop(a);
    memset(&a->isr_top, 0, offsetof(struct lapic, timer) - offsetof(struct lapic, isr_top));
    a->base = base;
    a->dfr = ~0u;
    set_svr(a, 0xff); /* disabled, and all local interrupts masked */
}

void lapic_reset(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    lapic_init(v);
    a->base = LAPIC_BASE | BASE_ENABLE;
    if (a->id == 0) { /* as a BIOS leaves it: 8259 at LINT0, NMI at LINT1 (16.3.2, "virtual wire") */
        a->base |= BASE_BSP;
        a->svr = SVR_ENABLE | 0xff;
        a->lvt[LVT_LINT0] = DELIVER_EXTINT << 8;
        a->lvt[LVT_LINT1] = DELIVER_NMI << 8;
    }
}

__init_text void lapic_create(struct pc_vcpu *v)
{
    v->lapic.id = v->vcpu.id;
    lapic_timer_init(v);
}
