/* SPDX-License-Identifier: MIT */
/*
 * counted.c - code whose instructions were counted by hand, to check the clocks of tools/plugin/clocks.c. The first
 * hart of cluster 0 rings that of cluster 1, which works and rings back. Then one hart sets a flag that the other one
 * loads without a ring. All code between marks is the assembly here; test_clocks_manycore.py has the counts.
 */
#include "guest.h"

/* ping() and pong() get their own word, the other's word and the other's doorbell. Mark n is slti x0,x0,256+n. */
void ping(volatile u32 *own, volatile u32 *foreign, ulong doorbell);
void pong(volatile u32 *own, volatile u32 *foreign, ulong doorbell);
/* Set the flag after 1,000 instructions; wait for it by loads. */
void flag_set(volatile u32 *flag);
void flag_load(volatile u32 *flag);
/* A call of the firmware that changes nothing: get the specification's version. */
void null_call(void);

__asm__(".option push; .option norvc\n"
        ".globl ping; ping:\n"
        "   li t0, 1\n"
        "   slti x0, x0, 256 + 1\n"
        "   .rept 10; nop; .endr\n"
        "   sw t0, 0(a0)\n"
        "   sw t0, 0(a2)\n" /* rings: 12 instructions after mark 1 */
        "   slti x0, x0, 256 + 2\n"
        "1: csrci sip, 2\n"
        "   lw t1, 0(a1)\n"
        "   bnez t1, 2f\n"
        "   wfi\n" /* 4 before it sleeps */
        "   j 1b\n"
        "2: slti x0, x0, 256 + 3\n" /* 4 after it woke */
        "   ret\n"
        ".globl pong; pong:\n"
        "   li t0, 1\n"
        "1: csrci sip, 2\n"
        "   lw t1, 0(a1)\n"
        "   bnez t1, 2f\n"
        "   wfi\n"
        "   j 1b\n"
        "2: .rept 20; nop; .endr\n" /* 4 + 20 after it woke */
        "   sw t0, 0(a0)\n"
        "   sw t0, 0(a2)\n"
        "   slti x0, x0, 256 + 4\n" /* 26 after it woke */
        "   wfi\n"                  /* until the other hart has executed its marks */
        "   ret\n"
        ".globl flag_set; flag_set:\n"
        "   slti x0, x0, 256 + 5\n"
        "   li t0, 1\n"
        "   .rept 1000; nop; .endr\n"
        "   sw t0, 0(a0)\n"
        "   slti x0, x0, 256 + 6\n" /* 1,002 after mark 5 */
        "   ret\n"
        ".globl flag_load; flag_load:\n"
        "   slti x0, x0, 256 + 7\n"
        "   lw t0, 0(a0)\n"
        "   slti x0, x0, 256 + 8\n"
        "   ret\n"
        ".globl null_call; null_call:\n"
        "   li a7, 0x10\n"
        "   li a6, 0\n"
        "   slti x0, x0, 256 + 9\n"
        "   ecall\n"
        "   slti x0, x0, 256 + 10\n"
        "   ret\n"
        ".option pop\n");

void guest_hart(ulong hart) { (void)hart; }

void guest_main(ulong hart, ulong start_number)
{
    u32 other = !board.number;
    ulong doorbell = board.doorbells + 4 * board.around[other].master;
    (void)hart, (void)start_number;
    if (board.number) {
        outbox(1)[1] = 1; /* ready to be rung */
        ring(0);
        pong(outbox(1), outbox(0), doorbell);
        wait_until(outbox(0)[2]);
        flag_load(&outbox(0)[1024]);
        outbox(1)[2] = 1;
        ring(0);
        for (;;)
            wfi();
    }
    wait_until(outbox(1)[1]);
    for (u32 i = 0; i < 100000; i++) /* until the other hart sleeps: a WFI that ends at once lets the emulator run it */
        if (i % 1000 == 0) {
            ring(0);
            wfi();
            csr_clear(sip, 2);
        }
    ping(outbox(0), outbox(1), doorbell);
    outbox(0)[2] = 1;
    ring(board.around[1].master);
    flag_set(&outbox(0)[1024]);
    null_call();
    wait_until(outbox(1)[2]);
    power_off(false);
}
