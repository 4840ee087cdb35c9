/* SPDX-License-Identifier: MIT */
/*
 * escape - single attacks on the kernel beneath, each aimed at one part of it. Prints which exception the attack got.
 *   attack=1 write the MSR word of the register page, then load from an address that misses the hardware's TLB (irfm)
 *   attack=2 IR=1, DR=0: store to the serial port, from a page of code that is mapped at the same address
 *   attack=3 fetch from an address without memory after `wait` milliseconds, which ends this guest (fault: stop)
 *   attack=0 the victim: checks that SRR2 and SRR3 keep their values
 */
#include <guest.h>

#define CODE     ((u32 *)0x80000)
#define TARGET   0x50000000u /* translated: nothing, or the serial port */
#define PORT     (UART0 & ~0xfffu)
#define PAGE_MSR 0x9000f044u /* stw r0, -0xfbc(0), with the register's field empty */
#define SC       0x44000002u
#define MS       333333u
#define SRR2     0x00a5a5a4u
#define SRR3     0x00029230u

static u32 attempt(u32 pc, u32 msr, u32 r5)
{
    struct frame f = { .pc = pc, .msr = msr };
    f.gpr[4] = msr;
    f.gpr[5] = r5;
    code_changed(CODE, 16);
    try(&f);
    mtmsr(0);
    return f.vector;
}

/* For each mode that can be written to the register page: r3 = the word for MSR, r5 = the address. */
static void write_msr(void)
{
    static const u32 msrs[] = { 0, MSR_DR, MSR_IR, MSR_PR, MSR_PR | MSR_IR | MSR_DR };
    tlb_map(0, 0, 0, PAGE_16M, TLBLO_EX | TLBLO_WR, 0);
    for (u32 device = 0; device < 2; device++) {
        if (device)
            tlb_map(1, TARGET, PORT, PAGE_4K, TLBLO_WR | TLBLO_I | TLBLO_G, 0);
        for (u32 i = 0; i < ARRAY_SIZE(msrs); i++) {
            CODE[0] = 0x38600000 | (msrs[i] & 0xffff); /* li r3, MSR */
            CODE[1] = PAGE_MSR | 3 << 21;
            CODE[2] = 0x88c50000; /* lbz r6, 0(r5) */
            CODE[3] = 0;          /* illegal: sc may be a hypercall here */
            print("escape: msr=%x device=%u ", msrs[i], device);
            print("vector=%x\n", attempt((u32)CODE, MSR_IR | MSR_DR, TARGET + (UART_SCR & 0xfff)));
        }
    }
}

static void execute_port(void)
{
    tlb_map(0, PORT, (u32)CODE, PAGE_4K, TLBLO_EX, 0);
    CODE[0] = 0x98650000; /* stb r3, 0(r5) */
    CODE[1] = SC;
    print("escape: port vector=%x\n", attempt(PORT, MSR_IR, UART_SCR));
}

static void keep(void)
{
    u32 wrong = 0;
    mtspr(SPR_SRR2, SRR2);
    mtspr(SPR_SRR3, SRR3);
    for (u32 n = 1, start = ticks();; n++) {
        wrong += mfspr(SPR_SRR2) != SRR2 || mfspr(SPR_SRR3) != SRR3;
        if (ticks() - start < 50 * MS)
            continue;
        start = ticks();
        print("escape: wrong=%u srr2=%x srr3=%x\n", wrong, mfspr(SPR_SRR2), mfspr(SPR_SRR3));
    }
}

void guest_main(void)
{
    u32 attack = arg_number("attack", 0);
    mtspr(SPR_ZPR, 0x55555555);
    if (attack == 1)
        write_msr();
    else if (attack == 2)
        execute_port();
    else if (attack == 3) {
        wait_ticks(arg_number("wait", 100) * MS);
        ((void (*)(void))0x80000000)();
    } else
        keep();
    print("escape: done\n");
    for (;;)
        ;
}
