/* SPDX-License-Identifier: MIT */
/*
 * bells.c - whose clock a doorbell sets. The last core works and rings core 0, which sleeps. Core 1 of three has
 * nothing to do with that, and takes what it was rung for all the same: it ends an interrupt that it did not have. The
 * words by which they wait are none of the checker's.
 *
 * Marks: 1 the sender has rung core 0, 2 core 0 has taken it; 3 and 4 core 1 before and after; 5 the sender has rung
 * core 1.
 */
#include "board.h"
#include <hal/cache.h>

enum variant { PAIR, NAMED, UNNAMED, NESTED };

#define BASE     ((volatile void *)0x100000)
#define UP       PRIVATE[0]
#define HAS_RUNG PRIVATE[1]
#define DONE     PRIVATE[2]

#define WORK() asm volatile(".rept 9999\n\tnop\n\t.endr" ::: "memory")

static void send(enum variant v)
{
    WORK();
    if (v != UNNAMED)
        cache_mark_bell(BASE, 0);
    if (v == NESTED) { /* as an interrupt between the name of core 0 and its ring */
        cache_mark_bell(BASE, 1);
        bell_ring(1);
        CACHE_MARK(5);
        WORK();
    }
    bell_ring(0);
    CACHE_MARK(1);
    HAS_RUNG = 1;
}

static void stand_by(void)
{
    APIC(0xb0) = 0; /* what was rung at boot */
    CACHE_MARK(3);
    UP = 1;
    while (!HAS_RUNG)
        relax();
    APIC(0xb0) = 0;
    CACHE_MARK(4);
    DONE = 1;
}

void main_core(u32 core);
void main_core(u32 core)
{
    enum variant v = (enum variant) * VARIANT;
    u32 cores = v == PAIR ? 2 : 3;
    if (core && core == cores - 1) {
        while (!UP)
            relax();
        send(v);
    } else if (core) {
        stand_by();
    } else {
        UP = cores == 2;
        asm volatile("hlt");
        CACHE_MARK(2);
        while (cores > 2 && !DONE)
            relax();
    }
}
