/* SPDX-License-Identifier: MIT */
/*
 * interrupts.c - the UIC (405EP User's Manual, 10) with the only source that a program can raise itself, UART0's empty
 * transmitter; and the UART's registers.
 */
#include "instructions.h"

static volatile u32 taken, last_status;

static void uart_interrupt(struct frame *f)
{
    taken++;
    last_status = mfdcr(DCR_UIC + UIC_MSR);
    store8(UART_IER, 0);
    mtdcr(DCR_UIC + UIC_SR, last_status);
    (void)f;
}

static void raise(void) /* waits until the transmitter is empty, which raises the interrupt */
{
    store8(UART_IER, 0);
    (void)load8(UART_IIR);
    while (!(load8(UART_LSR) & 0x40))
        ;
    mtdcr(DCR_UIC + UIC_SR, ~0u);
    store8(UART_IER, 2);
}

static void quiet(void)
{
    mtmsr(0);
    store8(UART_IER, 0);
    uic_init();
    taken = 0;
}

static void run(const char *name, u32 msr, const u32 *words, u32 n, u32 r3)
{
    struct frame f;
    fresh_frame(&f, msr);
    f.gpr[3] = r3;
    put_code(words, n);
    run_and_print(&f, "UART pending", name);
    quiet();
}

static void test_uic(void)
{
    quiet();
    raise();
    u32 status = mfdcr(DCR_UIC + UIC_SR), masked = mfdcr(DCR_UIC + UIC_MSR);
    print("T UIC level: SR=%08x MSR=%08x\n", status & UART_INPUT, masked);
    mtdcr(DCR_UIC + UIC_SR, ~0u);
    print("T UIC level stays: SR=%08x\n", mfdcr(DCR_UIC + UIC_SR) & UART_INPUT);
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    masked = mfdcr(DCR_UIC + UIC_MSR);
    print("T UIC enabled: MSR=%08x\n", masked);
    store8(UART_IER, 0);
    mtdcr(DCR_UIC + UIC_SR, ~0u);
    print("T UIC gone: SR=%08x\n", mfdcr(DCR_UIC + UIC_SR) & UART_INPUT);

    /* vector: base or base + 512 * (input), highest first */
    mtdcr(DCR_UIC + UIC_CR, UART_INPUT);
    mtdcr(DCR_UIC + UIC_VCR, 0x00100000);
    raise();
    u32 vector = mfdcr(DCR_UIC + UIC_VR);
    print("T UIC vector: %08x\n", vector);
    quiet();
}

static void test_delivery(void)
{
    static const u32 set_ee[] = { 0x7c008146, 0x39000001, 0x39200001 };  /* wrteei 1; li r8; li r9 */
    static const u32 set_msr[] = { 0x7c600124, 0x39000001, 0x39200001 }; /* mtmsr r3 */
    static const u32 loop[] = { 0x48000000 };
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    raise();
    run("external by wrteei", 0, set_ee, 3, 0);
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    raise();
    run("external by mtmsr to problem mode", 0, set_msr, 3, MSR_EE | MSR_PR);
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    raise();
    run("external at once", MSR_EE | MSR_PR, loop, 1, 0);
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    mtdcr(DCR_UIC + UIC_CR, UART_INPUT);
    raise();
    run("critical not by EE", 0, set_ee, 3, 0);
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    mtdcr(DCR_UIC + UIC_CR, UART_INPUT);
    raise();
    run("critical by mtmsr", 0, set_msr, 3, MSR_CE);
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    mtdcr(DCR_UIC + UIC_CR, UART_INPUT);
    raise();
    run("critical at once", MSR_CE | MSR_PR, loop, 1, 0);
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    raise();
    run("external not by CE", 0, set_msr, 3, MSR_CE);
    /* masked when it comes, unmasked by mtdcr while EE is set: EE is off around it, for QEMU under -icount */
    on_exception(VEC_EXTERNAL, uart_interrupt);
    on_exception(VEC_CRITICAL, uart_interrupt);
    raise();
    mtmsr(MSR_EE);
    wait_ticks(1000);
    mtmsr(0);
    u32 before = taken;
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    mtmsr(MSR_EE);
    wait_ticks(1000);
    mtmsr(0);
    print("T UIC unmasked: %u then %u, MSR=%08x\n", before, taken, last_status);
    quiet();
    /* priority: both PIT and UART are pending; the external interrupt comes first */
    mtdcr(DCR_UIC + UIC_ER, UART_INPUT);
    mtspr(SPR_TCR, TCR_PIE);
    mtspr(SPR_PIT, 1000);
    wait_ticks(3000000);
    raise();
    run("external before PIT", 0, set_ee, 3, 0);
    fresh_start();
}

static void test_uart(void)
{
    store8(UART_SCR, 0x5a);
    u32 scratch = load8(UART_SCR);
    store8(UART_SCR, 0xa5);
    print("T UART scratch: %02x %02x\n", scratch, load8(UART_SCR));
    store8(UART_LCR, 0x83);
    store8(UART0 + 0, 0x12);
    store8(UART0 + 1, 0x34);
    u32 low = load8(UART0 + 0), high = load8(UART0 + 1);
    store8(UART_LCR, 0x03);
    print("T UART divisor: %02x%02x LCR=%02x IER=%02x\n", high, low, load8(UART_LCR), load8(UART_IER));
    store8(UART_IER, 0xff);
    u32 ier = load8(UART_IER);
    store8(UART_IER, 0);
    print("T UART IER keeps: %02x\n", ier);
    store8(UART0 + 2, 0x00);
    print("T UART IIR no FIFO: %02x\n", load8(UART_IIR));
    store8(UART0 + 2, 0x07);
    print("T UART IIR FIFO: %02x\n", load8(UART_IIR));
    raise();
    u32 first = load8(UART_IIR), second = load8(UART_IIR);
    store8(UART_IER, 0);
    print("T UART IIR empty: %02x then %02x\n", first, second);
    store8(UART_MCR, 0x10); /* loop back */
    store8(UART_DATA, 0x37);
    u32 status = 0;
    for (u32 start = ticks(); !((status = load8(UART_LSR)) & 1) && ticks() - start < 3000000;)
        ;
    u32 data = load8(UART_DATA);
    store8(UART_MCR, 0x0b);
    print("T UART loop: LSR=%02x data=%02x\n", status, data);
    print("T UART MCR: %02x LSR: %02x\n", load8(UART_MCR), load8(UART_LSR) & 0x1f);
    quiet();
}

void test_interrupts(void)
{
    test_uart();
    test_uic();
    test_delivery();
}
