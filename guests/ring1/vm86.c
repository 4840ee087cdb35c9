/* SPDX-License-Identifier: MIT */
/*
 * vm86.c - a guest in ring 1 that returns to virtual 8086 mode, which a processor does from ring 0 only, and QEMU from
 * any. Its ES is a selector of ring 0 there, and its flags have a machine check's number, because that is where CS and
 * the vector are when it leaves. With a command line that ends in `round` it goes round until an interrupt of the
 * kernel's, and CS is that of our own code: its timer's, or, where a slow host lets that come before it is there, the
 * next one. With one that ends in `ports` it goes back to ring 1 by a system call, and sets IOPL before; else it has an
 * exception.
 */
#include "ring1.h"

#define CODE     0x5000u /* linear, where segments of 64 KiB reach */
#define RING0    0x100u  /* our code segment's */
#define OTHER    0x200u
#define FLAGS    (0x20000u | 0x212u)
#define SOON     200000u /* ticks */
#define CMD_LINE 0x228   /* of Linux' boot parameters: the command line's address */

static void opened(struct trap *t) { ring1_back((int)t->vector); }

/* The system call's handler: whether this may use ports. */
static void called(struct trap *t)
{
    uint32_t flags;
    (void)t;
    __asm__ volatile("pushf; pop %0" : "=r"(flags));
    print("vm86: IOPL %u\n", flags >> 12 & 3);
    ring1_off();
}

/* Let the gate be opened by a program's call; then the next one comes without the hypervisor. */
static void open_gate(void)
{
    ring1_tables();
    ring1_handler = opened;
    *(volatile uint16_t *)USER = 0x80cd;
    ring1_program(USER, USER_END);
    ring1_handler = called;
    *ring1_entry(CODE) |= 4;
    ring1_invalidate(CODE);
    *(volatile uint16_t *)CODE = 0x80cd;
}

int main(uint32_t boot)
{
    const char *words = *(const char **)(boot + CMD_LINE);
    uint32_t frame[] = { CODE - (OTHER << 4), OTHER, FLAGS, 0x107080, 0x4023, RING0, 4, 0, 0 };
    *(volatile uint16_t *)CODE = 0x0b0f; /* UD2 */
    while (words[0] && words[1])
        words++;
    if (*words == 's') {
        open_gate();
        frame[2] |= 0x3000;
    }
    if (*words == 'd') {
        frame[0] = CODE - (RING0 << 4);
        frame[1] = RING0;
        *(volatile uint16_t *)CODE = 0xfeeb; /* a jump to itself */
    }
    print("vm86: begin\n");
    if (*words == 'd')
        amalgam_timer(SOON);
    __asm__ volatile("mov %0, %%esp; iret" ::"r"(frame) : "memory");
    return 0;
}
