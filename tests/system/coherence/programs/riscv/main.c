/* SPDX-License-Identifier: MIT */
/*
 * main.c - the board of body.h on QEMU's RISC-V `virt`, two harts in M-mode, rv64 and rv32. Doorbells are the MSWI's
 * words. A hart relaxes by a WFI with an interrupt pending and not enabled globally: that ends its turn.
 */
#include <types.h>

#define MSIP    8 /* bits of mie and mip */
#define SSIP    2
#define MSWI    0x2000000
#define FINISH  ((volatile u32 *)0x100000)
#define VARIANT ((volatile u32 *)0x80100000)
#define PRIVATE ((volatile u32 *)0x80180000)
#define SHARED  ((struct shared *)0x80200000)

static void bell_ring(u32 core) { *(volatile u32 *)(uintptr_t)(MSWI + 4 * core) = 1; }

static void bell_wait(void)
{
    unsigned long hart, pending;
    asm volatile("csrr %0, mhartid" : "=r"(hart));
    do
        asm volatile("wfi\n\tcsrr %0, mip" : "=r"(pending)::"memory");
    while (!(pending & MSIP));
    *(volatile u32 *)(MSWI + 4 * hart) = 0;
}

static void relax(void) { asm volatile("csrs mip, %0\n\twfi\n\tcsrc mip, %0" ::"r"(SSIP) : "memory"); }

#include "../body.h"

void start_c(unsigned long hart);
void start_c(unsigned long hart)
{
    if (hart < 2) {
        asm volatile("csrw mie, %0" ::"r"(MSIP | SSIP));
        if (hart)
            bell_ring(0);
        else
            bell_wait();
        run((u32)hart, (enum variant) * VARIANT, SHARED, PRIVATE);
    }
    if (!hart)
        *FINISH = 0x5555;
    for (;;)
        asm volatile("csrw mie, zero\n\twfi");
}

asm(".pushsection .start, \"ax\"\n"
    ".globl _start\n"
    "_start: csrr a0, mhartid\n"
    "li sp, 0x80102000\n"
    "slli t0, a0, 12\n"
    "add sp, sp, t0\n"
    "call start_c\n"
    ".popsection\n");
