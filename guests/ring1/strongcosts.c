/* SPDX-License-Identifier: MIT */
/*
 * strongcosts.c - what memory that comes and goes costs a guest with a vCPU on each of two cores, in ticks of the time
 * stamp counter, which are instructions of both cores under icount: vCPU 0 measures while vCPU 1 sleeps. Then each
 * touches all of the memory, which is of Linux' size, page after page.
 *
 * A line each: `bench NAME LEAST MIDDLE SAMPLES`, and `memory: ...`.
 */
#define SAMPLES 32u
#include "measure.h"
#include "strong.h"

#define WARM   4u
#define LINE   3u
#define PAGES  2816u
#define TABLES 3u       /* of the memory: 11 MiB */
#define TABLE  4u       /* shared pages: the second table, and the third */
#define FIRST  32u      /* shared pages that are touched, from this one on */
#define SPAN   1024u    /* of a table */
#define SOON   2000000u /* ticks: vCPU 1 sleeps by then */

struct words {
    struct meeting meeting;
    uint32_t ticks[4];
};

static volatile struct words *const words = (volatile struct words *)MEETING;

#define MEASURE(name, action)                                                                                          \
    do {                                                                                                               \
        for (uint32_t i = 0; i < SAMPLES + WARM; i++) {                                                                \
            uint32_t begin = now();                                                                                    \
            action;                                                                                                    \
            if (i >= WARM)                                                                                             \
                sample[i - WARM] = now() - begin;                                                                      \
        }                                                                                                              \
        say(name, SAMPLES);                                                                                            \
    } while (0)

static void handler(struct trap *t)
{
    if (t->vector != 0x30 && t->vector != 0x30 + LINE)
        strong_fault(t);
}

static void prepare(void)
{
    for (uint32_t table = 1; table < TABLES; table++) {
        for (uint32_t i = 0; i < SPAN && table * SPAN + i < PAGES; i++)
            shared_page(TABLE + table)[i] = (uint32_t)shared_page(table * SPAN + i) | RIGHTS;
        shared_page(0)[(SHARED >> 22) + table] = (uint32_t)shared_page(TABLE + table) | RIGHTS;
    }
}

/* Wait until the other vCPU sleeps, too. */
static void sleep_soon(void)
{
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0;
    amalgam_timer(SOON);
    amalgam_idle();
}

/* Sleep until the other one has measured, and says what. */
static void sleep_until(volatile uint32_t *ticks)
{
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0;
    while (!*ticks) {
        amalgam_idle();
        AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0;
    }
}

static void has_measured(volatile uint32_t *at, uint32_t ticks)
{
    *at = ticks;
    right(!amalgam_cpu_interrupt(!me, LINE));
}

/* All of the pages are vCPU 1's, which sleeps. */
static void moves(uint32_t *from)
{
    volatile uint32_t *page = from;
    MEASURE("strong-move", {
        (void)*page;
        page += 1024;
    });
    MEASURE("strong-move-write", {
        *page = 1;
        page += 1024;
    });
    MEASURE("strong-move-two", { /* by one instruction */
                                 const volatile uint32_t *source = page;
                                 volatile uint32_t *to = page + 1024;
                                 __asm__ volatile("movsl" : "+S"(source), "+D"(to)::"memory");
                                 page += 2048;
    });
}

static void calls(void)
{
    MEASURE("cpu-forget", amalgam_cpu_forget(1, SHARED + 0x100000, 1));
    MEASURE("cpu-forget-64", amalgam_cpu_forget(1, SHARED + 0x100000, 64));
}

/* The value that a page has after turn `turn`. */
static uint32_t value(uint32_t page, uint32_t turn) { return page << 4 | turn; }

/* Touch each page of the memory once. */
static void touch(uint32_t turn)
{
    if (me != turn % 2) {
        sleep_until(&words->ticks[turn]);
    } else {
        sleep_soon();
        uint32_t begin = now();
        for (uint32_t page = FIRST; page < PAGES; page++) {
            volatile uint32_t *at = shared_page(page);
            right(!turn || *at == value(page, turn - 1));
            *at = value(page, turn);
        }
        has_measured(&words->ticks[turn], now() - begin);
    }
    meet();
}

int main(uint32_t boot)
{
    strong_begin(boot, SPAN, handler, prepare);
    for (uint32_t page = FIRST; me && page < FIRST + 256; page++)
        *(volatile uint32_t *)shared_page(page) = page;
    meet();
    if (me) {
        sleep_until(&words->ticks[3]);
    } else {
        sleep_soon();
        moves(shared_page(FIRST));
        calls();
        has_measured(&words->ticks[3], 1);
    }
    meet();
    for (uint32_t turn = 0; turn < 3; turn++)
        touch(turn);
    strong_end();
    uint32_t pages = PAGES - FIRST;
    print("memory: %u pages, %u ticks a page at first, %u from the other vCPU, %u wrong\n", pages,
          words->ticks[0] / pages, words->ticks[1] / pages, words->meeting.wrong);
    ring1_off();
}
