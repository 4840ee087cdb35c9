/* SPDX-License-Identifier: MIT */
/*
 * cached.c - code whose misses of a cache were counted by hand, to check tools/plugin/caches.c. All code between marks
 * is the assembly here; test_missed_manycore.py has the counts.
 */
#include "guest.h"

#define LINE  64
#define BYTES (16 * 1024)

/* Each is one window, from mark 1 to mark 2: a load, or a store, of a word every LINE bytes; some KiB of instructions
 * one after the other, in lines of their own. */
void loads(const void *from, const void *end);
void stores(void *from, void *end);
void code(void);

__asm__(".option push; .option norvc\n"
        ".globl loads; loads:\n"
        "   slti x0, x0, 256 + 1\n"
        "1: lw t0, 0(a0)\n"
        "   addi a0, a0, 64\n"
        "   bltu a0, a1, 1b\n"
        "   slti x0, x0, 256 + 2\n"
        "   ret\n"
        ".globl stores; stores:\n"
        "   slti x0, x0, 256 + 1\n"
        "1: sw x0, 0(a0)\n"
        "   addi a0, a0, 64\n"
        "   bltu a0, a1, 1b\n"
        "   slti x0, x0, 256 + 2\n"
        "   ret\n"
        "   .balign 64\n"
        "   .rept 15; nop; .endr\n"
        ".globl code; code:\n"
        "   slti x0, x0, 256 + 1\n" /* the last word of a line */
        "   .rept 1024; nop; .endr\n"
        "   slti x0, x0, 256 + 2\n" /* the first of another one */
        "   ret\n"
        "   .balign 64\n"
        ".option pop\n");

static u8 data[BYTES] __attribute__((aligned(4096)));

void guest_hart(ulong hart) { (void)hart; }

void guest_main(ulong hart, ulong start_number)
{
    (void)hart, (void)start_number;
    loads(data, data + 4096);
    loads(data, data + 4096);
    loads(data, data + BYTES);
    loads(data, data + BYTES);
    __asm__ volatile("slti x0, x0, 3" ::: "memory");
    loads(data, data + 4096);
    __asm__ volatile("lh x0, 0(%0); lbu x0, 0(%1); lb x0, 0(%2)" ::"r"(data), "r"(data + LINE), "r"(data + 2 * LINE)
                     : "memory");
    loads(data, data + 4096);
    __asm__ volatile("slti x0, x0, 2" ::: "memory");
    stores(data, data + 4096);
    loads(data, data + 4096);
    for (unsigned i = 0; i < 3; i++)
        code();
    power_off(false);
}
