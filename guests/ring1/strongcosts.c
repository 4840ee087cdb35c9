/* SPDX-License-Identifier: MIT */
/*
 * strongcosts.c - what memory that comes and goes costs a guest with a vCPU on each of two cores, in ticks of the time
 * stamp counter, which are instructions of both cores under icount: vCPU 0 measures while vCPU 1 sleeps. Then both add
 * under one lock, and each touches all of the memory, which is of Linux' size, page after page.
 *
 * A line each: `bench NAME LEAST MIDDLE SAMPLES`, and `costs: done, N wrong`.
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
#define ALL    (SAMPLES + WARM)
#define ADDS   64u

struct words {
    struct meeting meeting;
    uint32_t ticks[4], begun, sum, came[ALL];
};

static volatile struct words *const words = (volatile struct words *)MEETING;

#define MEASURE(name, action)                                                                                          \
    do {                                                                                                               \
        for (uint32_t i = 0; i < ALL; i++) {                                                                           \
            uint32_t begin = now();                                                                                    \
            action;                                                                                                    \
            if (i >= WARM)                                                                                             \
                sample[i - WARM] = now() - begin;                                                                      \
        }                                                                                                              \
        say(name, SAMPLES);                                                                                            \
    } while (0)

static volatile uint32_t came[ALL], n_came; /* a core's own: when interrupts of the other one came */

static void handler(struct trap *t)
{
    if (t->vector == 0x30 + LINE && n_came < ALL)
        came[n_came++] = now();
    else if (t->vector != 0x30 && t->vector != 0x30 + LINE)
        strong_fault(t);
}

static void say_one(const char *name, uint32_t value, uint32_t samples)
{
    print("bench %s %u %u %u\n", name, value, value, samples);
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

/* Until something comes, and take nothing after that. */
static void wait_asleep(void)
{
    amalgam_idle();
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0;
}

/* Sleep until the other one has measured, and says what. */
static void sleep_until(volatile uint32_t *ticks)
{
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0;
    while (!*ticks)
        wait_asleep();
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

/* From the call to the first instruction in C of the other vCPU, which begins once. */
static void start_other(uint32_t boot, uint32_t begun)
{
    uint32_t asked = now();
    strong_others(boot);
    meet();
    if (me)
        words->begun = begun;
    meet();
    if (!me)
        say_one("cpu-start", words->begun - asked, 1);
}

/* Of vCPU 1, which sleeps, and notes when each came. */
static void interrupts(void)
{
    static uint32_t asked[ALL];
    for (uint32_t i = 0; !me && i < ALL; i++) {
        sleep_soon();
        asked[i] = now();
        right(!amalgam_cpu_interrupt(1, LINE));
    }
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0;
    while (me && n_came < ALL)
        wait_asleep();
    for (uint32_t i = 0; me && i < ALL; i++)
        words->came[i] = came[i];
    meet();
    for (uint32_t i = WARM; !me && i < ALL; i++)
        sample[i - WARM] = words->came[i] - asked[i];
    if (!me)
        say("cpu-interrupt", SAMPLES);
}

/* Both add under one lock, which is a page of its own, and lets the other come once while it has it and once when it
 * has given it back: else the board runs one vCPU for all of its additions. */
static void locked(void)
{
    uint32_t begin = now();
    for (uint32_t i = 0; i < ADDS; i++) {
        lock();
        words->sum++;
        pause();
        unlock();
        pause();
    }
    meet();
    if (!me)
        say_one("locked-add", (now() - begin) / (2 * ADDS), 2 * ADDS);
    right(words->sum == 2 * ADDS);
    meet();
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
    uint32_t begun = now();
    strong_tables(SPAN, handler, prepare);
    start_other(boot, begun);
    interrupts();
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
    locked();
    for (uint32_t turn = 0; turn < 3; turn++)
        touch(turn);
    strong_end();
    uint32_t pages = PAGES - FIRST;
    say_one("touch-first", words->ticks[0] / pages, pages);
    say_one("touch-other", words->ticks[1] / pages, pages);
    print("costs: done, %u wrong\n", words->meeting.wrong);
    ring1_off();
}
