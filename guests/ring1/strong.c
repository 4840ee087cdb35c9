/* SPDX-License-Identifier: MIT */
/*
 * strong.c - a guest with a vCPU on each of several cores: locked sums over pages that all share. Its page tables are
 * such pages, too; its text and each vCPU's stack are a copy on each core.
 *
 * Each vCPU adds to two words of different pages under a lock, to a word that lies across two pages by one locked
 * instruction, and moves a word from one page to another by one. Every sum is known. Then vCPU 0 has the others forget
 * a page, and calls that are wrong are refused.
 */
#include "strong.h"

#define TIMES 25u
#define LINE  3u

struct words {
    struct meeting meeting;
    uint32_t first[1024], second[1024]; /* word 0 of each: sums under the lock */
    uint32_t across[2048];              /* a word from byte 4094 on */
    uint32_t from[1024], to[1024];      /* a word a vCPU */
    uint32_t interrupts, shown, seen;
};

static volatile struct words *const words = (volatile struct words *)MEETING;
/* Two pages that each core has, shown one after the other at one address, which has no page of its own. */
#define SHOWN (SHARED + 63 * PAGE)
static uint32_t pages[2][1024] __attribute__((aligned(PAGE)));

static void handler(struct trap *t)
{
    if (t->vector == 0x30 + LINE)
        add(&words->interrupts, 1);
    else
        strong_fault(t);
}

static void show(uint32_t page) { shared_page(2)[63] = (uint32_t)pages[page] | RIGHTS; }
static void prepare(void) { show(0); }

static void one(uint32_t i)
{
    uint32_t value = i << 8 | me;
    lock();
    words->first[0] += 1;
    words->second[0] += 2;
    unlock();
    __asm__ volatile("lock addl $3, (%0)" ::"r"((uint32_t)words->across + 4094) : "memory");
    words->from[me] = value;
    const volatile uint32_t *from = &words->from[me];
    volatile uint32_t *to = &words->to[me];
    __asm__ volatile("movsl" : "+S"(from), "+D"(to)::"memory");
    right(words->to[me] == value);
}

/* All have seen one page at an address, and vCPU 0 puts another one there: they see that when it has had them forget
 * it. */
static void forget(void)
{
    const volatile uint32_t *at = (const volatile uint32_t *)SHOWN;
    pages[1][0] = 1;
    right(*at == 0);
    add(&words->seen, 1);
    if (!me) {
        while (words->seen < cpus)
            pause();
        show(1);
        forget_all(SHOWN, 1);
        words->shown = 1;
    }
    while (!words->shown)
        pause();
    right(*at == 1);
}

static void refused(void)
{
    right(amalgam_cpu_start(0, 0, 0) == -EINVAL);
    right(amalgam_cpu_interrupt(me, LINE) == -EINVAL);
    right(amalgam_cpu_interrupt(cpus, LINE) == -EINVAL);
    right(amalgam_cpu_interrupt(!me, 16) == -ERANGE);
    right(amalgam_cpu_forget(!me, 0, 65) == -ERANGE);
}

int main(uint32_t boot)
{
    strong_begin(boot, 64, handler, prepare);
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0x200;
    for (uint32_t i = 0; i < TIMES; i++)
        one(i);
    forget();
    refused();
    right(!amalgam_cpu_interrupt((me + 1) % cpus, LINE));
    while (words->interrupts < cpus)
        pause();
    strong_end();
    uint32_t across = 0;
    for (unsigned i = 0; i < 4; i++)
        across |= (uint32_t)((volatile uint8_t *)words->across)[4094 + i] << 8 * i;
    print("strong: %u vCPUs, sums %u %u %u of %u, %u wrong\n", cpus, words->first[0], words->second[0], across,
          cpus * TIMES, words->meeting.wrong);
    ring1_off();
}
