/* SPDX-License-Identifier: MIT */
/* board.c - starts the cores of board.h, and ends the board when core 0 has run main_core(). */
#include "board.h"

volatile u32 rung[CORES];
static struct {
    u16 low, segment, flags, high;
} __attribute__((packed)) idt[256];
static struct {
    u16 limit;
    u32 base;
} __attribute__((packed)) idtr;

void main_core(u32 core);
void start_c(u32 core);

void set_vector(unsigned n, void (*entry)(void))
{
    idt[n].low = (u16)(u32)entry;
    idt[n].segment = 8;
    idt[n].flags = 0x8e00;
    idt[n].high = (u16)((u32)entry >> 16);
}

void start_c(u32 core)
{
    if (!core) {
        outb(0x21, 0xff); /* no interrupts of the old controllers */
        outb(0xa1, 0xff);
        set_vector(VECTOR, rung_entry);
        set_vector(0xff, ignore_entry);
        idtr.limit = sizeof(idt) - 1;
        idtr.base = (u32)idt;
    }
    APIC(0xf0) = 0x1ff;
    asm volatile("lidt %0\n\tsti" ::"m"(idtr));
    if (!core) {
        APIC(0x300) = 0xc4500; /* INIT to all others, then SIPI */
        for (volatile u32 i = 0; i < 1000; i++)
            ;
        APIC(0x300) = 0xc46f0;
    }
    main_core(core);
    if (!core)
        outb(0xf4, 0); /* isa-debug-exit */
    for (;;)
        asm volatile("hlt");
}
