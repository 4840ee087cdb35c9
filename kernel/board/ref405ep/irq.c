/* SPDX-License-Identifier: MIT */
/* irq.c - this core's interrupt controller: UART0 is for the console, UART1 for other cores' rings, lent inputs for
 * their guest. */
#include <board/console.h>
#include <board/irq.h>

/* Without CONFIG_CONSOLE the serial port is unused, or lent to a guest (CONFIG_DRIVER). */
__optional u32 console_input(void) { return 0; }
__optional void console_poll(void) {}
/* Without CONFIG_DOORBELL cores do not ring each other. */
__optional u32 doorbell_input(void) { return 0; }
__optional void doorbell_init(void) {}
__optional void doorbell_poll(void) {}
__optional void doorbell_answer(void) {}
/* Without CONFIG_DRIVER no device is lent. */
__optional void lent_irq(u32 raised) {}

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
    lent_irq(raised & ~(console_input() | doorbell_input()));
    mtdcr(DCR_UIC + UIC_SR, raised);
    doorbell_answer();
}
