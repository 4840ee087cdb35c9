/* SPDX-License-Identifier: MIT */
/* irq.c - this core's interrupt controller: UART0 is for the console, UART1 for other cores' rings, lent inputs for
 * their guest. */
#include <board/console.h>
#include <board/irq.h>
#include <partition/guest.h>

void irq_init(void)
{
    mtdcr(DCR_UIC + UIC_ER, 0);
    mtdcr(DCR_UIC + UIC_CR, 0);
    mtdcr(DCR_UIC + UIC_TR, 0);
    mtdcr(DCR_UIC + UIC_SR, ~0u);
    doorbell_init();
    mtdcr(DCR_UIC + UIC_ER, console_input() | doorbell_input());
}

void irq_external(void)
{
    u32 raised = mfdcr(DCR_UIC + UIC_MSR);
    if (raised & console_input())
        console_poll();
    if (raised & doorbell_input())
        doorbell_poll();
    guest_irq(raised & ~(console_input() | doorbell_input()));
    mtdcr(DCR_UIC + UIC_SR, raised);
    doorbell_answer();
}
