/* SPDX-License-Identifier: MIT */
/* irq.c - this core's interrupt controller: UART0 is the console's, lent inputs go to their guest. */
#include "dev.h"
#include <arch/cpu.h>
#include <string.h>

void irq_init(void)
{
    mtdcr(DCR_UIC + UIC_ER, 0);
    mtdcr(DCR_UIC + UIC_CR, 0);
    mtdcr(DCR_UIC + UIC_TR, 0);
    mtdcr(DCR_UIC + UIC_SR, ~0u);
    mtdcr(DCR_UIC + UIC_ER, console_input());
}

void irq_external(void)
{
    u32 raised = mfdcr(DCR_UIC + UIC_MSR);
    if (raised & console_input())
        console_poll();
    lent_irq(raised & ~console_input());
    mtdcr(DCR_UIC + UIC_SR, raised);
}

void devices_reset(struct vm *vm)
{
    memset(&vm->uic, 0, offsetof(struct vm, uart.rx) - offsetof(struct vm, uic)); /* the timers are between them */
    vm->timers.seen = hal_now();
    if (vm->conf->flags & PT_FOCUS)
        console_focus(vm->id);
    lent_reset(vm);
}
