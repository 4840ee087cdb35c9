/* SPDX-License-Identifier: MIT */
/*
 * uic.c - the virtual universal interrupt controller (PPC405EP UM chapter 10).
 *
 * An input with its bit in the trigger register set latches its rising edge in SR. The others show their level there,
 * so acknowledging them has no effect while the device requests. The polarity register is only stored: our devices have
 * no polarity.
 */
#include "dev.h"
#include <arch/deliver.h>

__optional void lent_irq_update(struct vm *vm) {} /* without CONFIG_DRIVER */

#define UIC_SRS 1 /* sets bits of SR, for tests of handlers; reads as SR */

/* Return the vector of the most urgent critical input: 512 bytes for each input, counted from the end that VCR[PRO]
 * names. */
static u32 vector(u32 vcr, u32 on)
{
    if (!on)
        return 0;
    return (vcr & ~3u) + 512 * (vcr & 1 ? __builtin_clz(on) : 31 - __builtin_clz(on & -on));
}

static void uic_update(struct vm *vm)
{
    u32 *reg = vm->uic.reg, on, critical;
    reg[UIC_SR] |= vm->uic.lines & ~reg[UIC_TR];
    reg[UIC_SRS] = reg[UIC_SR];
    reg[UIC_MSR] = on = reg[UIC_SR] & reg[UIC_ER];
    critical = on & reg[UIC_CR];
    reg[UIC_VR] = vector(reg[UIC_VCR], critical);
    vm_set_pending(vm, VMP_EXTERNAL | VMP_CRITICAL,
                   (critical ? VMP_CRITICAL : 0) | (on != critical ? VMP_EXTERNAL : 0));
}

void vuic_lines(struct vm *vm, u32 inputs, bool level)
{
    u32 *reg = vm->uic.reg;
    if (level) {
        reg[UIC_SR] |= inputs & ~vm->uic.lines;
        vm->uic.lines |= inputs;
    } else {
        reg[UIC_SR] &= ~inputs | reg[UIC_TR];
        vm->uic.lines &= ~inputs;
    }
    uic_update(vm);
}

u32 vuic_read(struct vm *vm, u32 n) { return vm->uic.reg[n]; }

void vuic_write(struct vm *vm, u32 n, u32 value)
{
    u32 *reg = vm->uic.reg;
    if (n == UIC_SR)
        reg[UIC_SR] &= ~value;
    else if (n == UIC_SRS)
        reg[UIC_SR] |= value;
    else /* computed registers are computed again */
        reg[n] = value;
    uic_update(vm);
    if (n <= UIC_ER)
        lent_irq_update(vm);
}
