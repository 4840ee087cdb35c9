/* SPDX-License-Identifier: MIT */
/*
 * uic.c - the virtual universal interrupt controller (PPC405EP UM chapter 10).
 *
 * An input whose trigger register bit is set latches its rising edge in SR; the others show
 * their level there, so that acknowledging them does not help while the device asks.
 * The polarity register is storage: our devices say "asks" or not, whatever the wire would do.
 */
#include "dev.h"
#include <arch/deliver.h>

static void update(struct vm *vm)
{
    struct vuic *u = &vm->uic;
    u->sr |= u->lines & ~u->tr;
    u32 on = u->sr & u->er;
    vm_unpend(vm, VMP_EXTERNAL | VMP_CRITICAL);
    vm_pend(vm, (on & u->cr ? VMP_CRITICAL : 0) | (on & ~u->cr ? VMP_EXTERNAL : 0));
}

void vuic_line(struct vm *vm, u32 n, bool level)
{
    struct vuic *u = &vm->uic;
    u32 bit = 0x80000000u >> n;
    if (level) {
        u->sr |= bit & ~u->lines; /* a level is added by update() */
        u->lines |= bit;
    } else {
        u->lines &= ~bit;
        u->sr &= ~bit | u->tr;
    }
    update(vm);
}

/* The vector of the most urgent critical input: 512 bytes an input, counted from the end that VCR[PRO] names. */
static u32 vector(const struct vuic *u)
{
    u32 on = u->sr & u->er & u->cr;
    if (!on)
        return 0;
    u32 n = u->vcr & 1 ? __builtin_clz(on) : 31 - __builtin_clz(on & -on);
    return (u->vcr & ~3u) + n * 512;
}

/* SR ER CR PR TR by DCR offset; struct vuic has them in this order. */
static u32 *plain(struct vuic *u, u32 reg)
{
    if (reg == UIC_SR)
        return &u->sr;
    return reg >= UIC_ER && reg <= UIC_TR ? &u->er + (reg - UIC_ER) : reg == UIC_VCR ? &u->vcr : NULL;
}

u32 vuic_read(struct vm *vm, u32 reg)
{
    u32 *p = plain(&vm->uic, reg);
    if (p)
        return *p;
    return reg == UIC_MSR ? vm->uic.sr & vm->uic.er : reg == UIC_VR ? vector(&vm->uic) : 0;
}

void vuic_write(struct vm *vm, u32 reg, u32 value)
{
    u32 *p = plain(&vm->uic, reg);
    if (reg == UIC_SR)
        *p &= ~value;
    else if (reg == UIC_SR + 1) /* SRS: set, for tests of handlers */
        vm->uic.sr |= value;
    else if (p)
        *p = value;
    update(vm);
    if (reg == UIC_SR || reg == UIC_ER)
        lent_irq_update(vm);
}
