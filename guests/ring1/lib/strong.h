/* SPDX-License-Identifier: MIT */
/*
 * strong.h - what guests share that have a vCPU on each of several cores (docs/scc-linux.md): page tables in the memory
 * that all share, the start of the other vCPUs, a lock, a meeting, and a count of what was wrong. Their text and each
 * vCPU's stack and descriptors are a copy on each core.
 *
 * The first three of the shared pages are a directory, a table of the private memory, and one of the shared pages.
 */
#ifndef RING1_STRONG_H
#define RING1_STRONG_H

#include "ring1.h"

#define SHARED   AMALGAM_STRONG_AT
#define PRIVATE  0x200000u /* bytes of a core's own memory that are mapped */
#define RIGHTS   3u        /* present, writable */
#define CMD_LINE 0x228     /* of Linux' boot parameters */

/* Shared page 16. */
struct meeting {
    uint32_t lock, come, wrong, rest[1021];
};
#define MEETING ((volatile struct meeting *)(SHARED + 0x10000))

static uint32_t me, cpus, meetings;
void start(void);

static inline uint32_t *shared_page(uint32_t page) { return (uint32_t *)(SHARED + page * PAGE); }

static inline void add(volatile uint32_t *at, uint32_t n)
{
    __asm__ volatile("lock addl %1, %0" : "+m"(*at) : "r"(n) : "memory");
}

static inline uint32_t exchange(volatile uint32_t *at, uint32_t value)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at)::"memory");
    return value;
}

/* A kernel that waits says so to its processor; the emulated board, which runs one core at a time, goes on to the next.
 */
static inline void pause(void) { __asm__ volatile("pause" ::: "memory"); }

static inline void right(bool is)
{
    if (!is)
        add(&MEETING->wrong, 1);
}

static inline void lock(void)
{
    while (exchange(&MEETING->lock, 1))
        pause();
}

static inline void unlock(void) { exchange(&MEETING->lock, 0); }

/* Wait until all are here. */
static inline void meet(void)
{
    meetings += cpus;
    add(&MEETING->come, 1);
    while ((int32_t)(MEETING->come - meetings) < 0)
        pause();
}

/* Have all vCPUs forget some pages, this one too. */
static inline void forget_all(uint32_t at, uint32_t pages)
{
    amalgam_invlpg(at, pages);
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        if (cpu != me)
            right(!amalgam_cpu_forget(cpu, at, pages));
}

/* The command line behind the two words of the loader. */
static inline const char *own_words(uint32_t boot)
{
    const char *text = *(const char **)(boot + CMD_LINE);
    for (unsigned spaces = 2; *text && spaces; text++)
        spaces -= *text == ' ';
    return text;
}

/* A trap that a guest does not have ends it. */
static inline void strong_fault(struct trap *t)
{
    print("vCPU %u: trap %u error %x at %x\n", me, t->vector, t->error, t->eip);
    ring1_off();
}

/* Use page tables with as many shared pages mapped. vCPU 0 makes them, and has `prepare` called before the others run.
 */
static inline void strong_tables(uint32_t pages, void (*handler)(struct trap *t), void (*prepare)(void))
{
    uint32_t n = (uint32_t)amalgam_cpus(), *directory = shared_page(0);
    me = n & 0xff;
    cpus = n >> 8;
    for (uint32_t at = 0; !me && at < PRIVATE; at += PAGE)
        shared_page(1)[at / PAGE] = at | RIGHTS;
    for (uint32_t i = 0; !me && i < pages; i++)
        shared_page(2)[i] = (uint32_t)shared_page(i) | RIGHTS;
    if (!me) {
        directory[0] = (uint32_t)shared_page(1) | RIGHTS;
        directory[SHARED >> 22] = (uint32_t)shared_page(2) | RIGHTS;
        prepare();
    }
    ring1_tables();
    ring1_handler = handler;
    amalgam_load_cr3(SHARED, 0, 0);
}

/* Of vCPU 0: start the others. */
static inline void strong_others(uint32_t boot)
{
    for (uint32_t cpu = 1; !me && cpu < cpus; cpu++)
        if (amalgam_cpu_start(cpu, (uint32_t)start, boot))
            print("vCPU %u does not start\n", cpu);
}

/* Begin, with `boot` for main() of each: both, and wait until all are here. */
static inline void strong_begin(uint32_t boot, uint32_t pages, void (*handler)(struct trap *t), void (*prepare)(void))
{
    strong_tables(pages, handler, prepare);
    strong_others(boot);
    meet();
}

/* All have ended: vCPU 0 goes on, to say what was found. */
static inline void strong_end(void)
{
    meet();
    while (me)
        amalgam_idle();
}

#endif
