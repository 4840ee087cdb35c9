/* SPDX-License-Identifier: MIT */
/*
 * board.h - QEMU's `pc` with Pentiums (P54C): two or more cores, no paging, doorbells by the local APIC. A core relaxes
 * by PAUSE, which ends its turn.
 */
#include <types.h>

#define APIC(offset) (*(volatile u32 *)(0xfee00000 + (offset)))
#define CORES        8
#define VARIANT      ((volatile u32 *)0x9000)
#define PRIVATE      ((volatile u32 *)0x180000)
#define SHARED       ((struct shared *)0x200000)
#define VECTOR       0x40

extern volatile u32 rung[CORES];
void rung_entry(void);
void ignore_entry(void);
void set_vector(unsigned n, void (*entry)(void));

static inline void outb(u16 port, u8 value) { asm volatile("outb %0, %1" ::"a"(value), "Nd"(port)); }

static inline void bell_ring(u32 core)
{
    APIC(0x310) = core << 24;
    APIC(0x300) = 0x4000 | VECTOR;
}

static inline void bell_wait(void)
{
    static u32 taken[CORES];
    u32 core = APIC(0x20) >> 24;
    for (;;) {
        asm volatile("cli" ::: "memory");
        if (rung[core] != taken[core])
            break;
        asm volatile("sti\n\thlt" ::: "memory");
    }
    taken[core]++;
    asm volatile("sti" ::: "memory");
}

static inline void relax(void) { asm volatile("pause" ::: "memory"); }
