/* SPDX-License-Identifier: MIT */
/*
 * services.c - the clocks of a core that is interrupted to serve others. Core 0 works; core 1, and core 2 after it, ask
 * it by a bell; core 1 reads the answer. The words by which they wait are none of the checker's.
 *
 * Marks: 1 and 2 core 0's work, before and after; 3 and 4 begin and end of each service; 5 it has what it took from the
 * work; 6 it has answered; 7 core 1 has asked, 8 core 2; 9 core 1 has read the answer.
 */
#include "board.h"
#include <hal/cache.h>

/* What core 0 does: it works; it is ahead of who asks; it waits for the service; it sleeps, and waits or not; the
 * service reads what the work wrote, or takes its page; the work reads the answer; two ask. */
enum variant { WORKS, AHEAD, AWAITS, SLEEPS, SLEEPS_AWAITS, READS, LEAVES, ANSWERS, TWO };

#define BASE    ((volatile void *)0x100000)
#define UP      PRIVATE[0]
#define ASKED   PRIVATE[1]
#define DONE    PRIVATE[2]
#define ANSWER  ((volatile u32 *)0x200000)
#define WRITTEN ((volatile u32 *)0x201000)
#define BESIDE  ((volatile u32 *)0x201800) /* another line of that page */

#define WORK(n) asm volatile(".rept " #n "\n\tnop\n\t.endr" ::: "memory")

static volatile bool answered;

void serve(void);
void serve(void)
{
    enum variant v = (enum variant) * VARIANT;
    if (v == READS)
        *WRITTEN;
    if (v == LEAVES)
        cache_mark_leave(BESIDE);
    CACHE_MARK(5);
    WORK(500);
    if (v == AWAITS || v == SLEEPS_AWAITS)
        cache_mark_awaited();
    if (!answered) {
        *ANSWER = 1;
        CACHE_MARK(6);
        answered = true;
    }
    APIC(0xb0) = 0;
}

void serve_entry(void);
asm("serve_entry:\n"
    "    pusha\n"
    "    .byte 0x82, 0xf8, 5, 0x82, 0xf8, 16 + 3\n" /* cache_mark_serve() */
    "    call serve\n"
    "    .byte 0x82, 0xf8, 16 + 4, 0x82, 0xf8, 6\n" /* cache_mark_served() */
    "    popa\n"
    "    iret\n");

static void work(enum variant v)
{
    if (v == AHEAD || v == READS || v == LEAVES)
        WORK(20000);
    APIC(0xb0) = 0; /* what was rung at boot */
    set_vector(VECTOR, serve_entry);
    UP = 1;
    *WRITTEN = 1;
    CACHE_MARK(1);
    if (v == SLEEPS || v == SLEEPS_AWAITS)
        asm volatile("hlt");
    while (ASKED < (v == TWO ? 2 : 1))
        relax();
    if (v == ANSWERS)
        *ANSWER;
    CACHE_MARK(2);
    while (!DONE)
        relax();
}

static void ask(void)
{
    cache_mark_bell(BASE, 0);
    bell_ring(0);
}

void main_core(u32 core);
void main_core(u32 core)
{
    enum variant v = (enum variant) * VARIANT;
    if (!core) {
        work(v);
    } else if (core == 1) {
        WORK(9999);
        while (!UP)
            relax();
        ask();
        CACHE_MARK(7);
        for (ASKED++; !answered || (v == TWO && ASKED < 2);)
            relax();
        *ANSWER;
        CACHE_MARK(9);
        DONE = 1;
    } else { /* asks later than core 1, and is earlier by its clock */
        while (!answered)
            relax();
        ask();
        CACHE_MARK(8);
        ASKED++;
    }
}
