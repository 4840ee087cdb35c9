/* SPDX-License-Identifier: MIT */
/*
 * lapic.c - the local APIC of a vCPU (APM vol. 2 chapter 16): interrupts that are pending, offered, in service.
 * lapic_timer.c has the timer, lapic_regs.c the registers.
 *
 * Any thread that raises an interrupt sets its IRR bit atomically, and kicks the vCPU if the bit was clear. All other
 * registers are used by the vCPU's own thread only, so there is no lock. Delivery needs no exit. The highest vector
 * above the interrupts in service is *offered* by V_IRQ; the processor compares it with the guest's TPR and takes it
 * when it can. At the next exit a cleared V_IRQ means that it was taken; only then is it in service.
 */
#include "lapic.h"

static bool is_level(const struct lapic *a, unsigned vector)
{
    return READ_ONCE(a->tmr[vector / 32]) >> vector % 32 & 1;
}

/* Returns whether the vector was not pending before. */
static bool set_irr(struct lapic *a, unsigned vector)
{
    u32 bit = 1u << vector % 32, before = __atomic_fetch_or(&a->irr[vector / 32], bit, __ATOMIC_RELAXED);
    __atomic_fetch_or(&a->irr_words, 1u << vector / 32, __ATOMIC_RELEASE);
    return !(before & bit);
}

/* Returns whether the vector has become pending. */
static bool latch(struct lapic *a, unsigned vector, bool level)
{
    u32 bit = 1u << vector % 32;
    if (!(a->svr & SVR_ENABLE) || vector < 16)
        return false;
    if (level)
        __atomic_fetch_or(&a->tmr[vector / 32], bit, __ATOMIC_RELAXED);
    else if (is_level(a, vector))
        __atomic_fetch_and(&a->tmr[vector / 32], ~bit, __ATOMIC_RELAXED);
    return set_irr(a, vector);
}

/* Interrupts are off between bit and kick: a second sender finds the bit set and counts on the first one's kick. */
void lapic_accept(struct pc_vcpu *v, unsigned vector, bool level)
{
    unsigned long flags = irq_save();
    if (latch(&v->lapic, vector, level))
        vcpu_kick(&v->vcpu);
    irq_restore(flags);
}

static unsigned highest_irr(const struct lapic *a)
{
    u32 words = __atomic_load_n(&a->irr_words, __ATOMIC_ACQUIRE);
    while (words) {
        unsigned w = bit_msb32(words);
        u32 bits = READ_ONCE(a->irr[w]);
        if (bits)
            return w * 32 + bit_msb32(bits);
        words &= ~(1u << w);
    }
    return 0;
}

static void clear_irr(struct lapic *a, unsigned vector)
{
    unsigned w = vector / 32;
    if (__atomic_and_fetch(&a->irr[w], ~(1u << vector % 32), __ATOMIC_RELAXED))
        return;
    __atomic_fetch_and(&a->irr_words, ~(1u << w), __ATOMIC_SEQ_CST);
    if (READ_ONCE(a->irr[w])) /* if a bit was set meanwhile, we may have cleared its word's bit */
        __atomic_fetch_or(&a->irr_words, 1u << w, __ATOMIC_RELEASE);
}

unsigned lapic_deliverable(const struct pc_vcpu *v)
{
    unsigned vector = MAX(highest_irr(&v->lapic), v->lapic.offered);
    unsigned floor = MAX(class_of(v->lapic.isr_top), class_of(v->lapic.tpr));
    return class_of(vector) > floor ? vector : 0;
}

static void find_isr_top(struct lapic *a)
{
    a->isr_top = 0;
    for (int w = 7; w >= 0 && !a->isr_top; w--)
        if (a->isr[w])
            a->isr_top = (u8)(w * 32 + bit_msb32(a->isr[w]));
}

/* End the interrupt in service; returns its vector. */
static unsigned end_of_interrupt(struct lapic *a)
{
    unsigned vector = a->isr_top;
    if (!vector)
        return 0;
    a->isr[vector / 32] &= ~(1u << vector % 32);
    find_isr_top(a);
    return vector;
}

void lapic_eoi(struct pc_vcpu *v)
{
    unsigned vector = end_of_interrupt(&v->lapic);
    if (is_level(&v->lapic, vector)) /* vector 0, no interrupt, is never level-triggered */
        ioapic_eoi(v->vcpu.vm, vector);
}

static void mark_taken(struct lapic *a)
{
    unsigned vector = a->offered;
    a->offered = 0;
    a->isr[vector / 32] |= 1u << vector % 32;
    a->isr_top = (u8)vector;
}

/* If the guest has cleared the flag that we set, it has ended its interrupt without an exit (PV EOI). */
static void check_eoi_flag(struct pc_vcpu *v)
{
    if (v->pv.eoi_set && !(READ_ONCE(*v->pv.eoi_flag) & 1)) {
        v->pv.eoi_set = false;
        end_of_interrupt(&v->lapic);
    }
}

static void clear_eoi_flag(struct pc_vcpu *v)
{
    if (!v->pv.eoi_set)
        return;
    v->pv.eoi_set = false;
    if (!(__atomic_exchange_n(v->pv.eoi_flag, 0, __ATOMIC_RELAXED) & 1))
        end_of_interrupt(&v->lapic);
}

void lapic_sync(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    u32 tpr = vcpu_tpr(&v->vcpu.hal);
    bool offered = vcpu_irq_offered(&v->vcpu.hal);
    if (tpr >> 4 != a->tpr >> 4)
        a->tpr = (u8)tpr;
    if (a->offered && !offered)
        mark_taken(a);
    check_eoi_flag(v);
}

void lapic_withdraw(struct lapic *a)
{
    if (a->offered)
        set_irr(a, a->offered);
    a->offered = 0;
}

/*
 * An offered vector is removed from the IRR: the guest may take it and end it by the flag, without an exit, and an
 * interrupt with the same vector that comes meanwhile is a new one.
 */
void lapic_offer(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    lapic_withdraw(a);
    unsigned vector = highest_irr(a);
    if (a->isr_top)
        clear_eoi_flag(v); /* another interrupt is pending, so the end of this one must exit */
    if (class_of(vector) <= class_of(a->isr_top)) {
        vcpu_withdraw_irq(&v->vcpu.hal);
        return;
    }
    clear_irr(a, vector);
    a->offered = (u8)vector;
    vcpu_offer_irq(&v->vcpu.hal, vector);
    if (v->pv.eoi_flag && !a->isr_top) {
        bool alone = !READ_ONCE(a->irr_words) && !is_level(a, vector);
        if (alone != v->pv.eoi_set)
            WRITE_ONCE(*v->pv.eoi_flag, alone);
        v->pv.eoi_set = alone;
    }
}

bool lapic_fast_eoi(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    lapic_sync(v);
    if (is_level(a, a->isr_top)) /* vector 0, no interrupt, is never level-triggered */
        return false;
    end_of_interrupt(a);
    lapic_offer(v);
    return true;
}

bool lapic_fast_self(struct pc_vcpu *v, u64 icr)
{
    u8 vector = icr;
    u64 to = icr & ~(ICR_ASSERT | 0xfful); /* 0 in the low half: fixed, edge; ICR_ASSERT is ignored */
    if (vector < 16 || (to != ICR_SELF && to != (u64)v->lapic.id << 32))
        return false;
    v->lapic.icr = icr;
    lapic_sync(v);
    latch(&v->lapic, vector, false);
    lapic_offer(v);
    return true;
}
