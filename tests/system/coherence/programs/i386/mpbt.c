/* SPDX-License-Identifier: MIT */
/*
 * mpbt.c - the SCC's memory types on two Pentiums: data written through the write-combining buffer (MPBT), data in an
 * L2 that has no operation on lines, types told by a marker, and the clock of the critical path.
 */
#include "board.h"
#include <hal/mpbt.h>

#define ROUNDS 3
#define WORDS  32
enum variant {
    RIGHT,
    NO_DRAIN,
    NO_INVALIDATE,
    POLLED,
    POLLED_NO_DRAIN,
    PARTS,
    L2_LINES,
    L2_WHOLE,
    MARKED,
    MARKED_NO_DRAIN,
    CLOCK,
    CLOCK_BYTES
};

/* Each in lines of its own. At 0x200000; the test says of which type. */
struct shared {
    volatile u32 data[WORDS];
    volatile u32 flag[8], answer[8], drain[2][8];
    volatile u32 parts[8];
    volatile u32 clock[8];
};
#define SHARED_MPBT ((struct shared *)0x200000)

static void produce(struct shared *s, enum variant v, u32 round)
{
    for (u32 i = 0; i < WORDS; i++)
        s->data[i] = round + i; /* @data-store */
    if (v == L2_LINES)
        cache_clean(s->data, sizeof(s->data));
    else if (v == L2_WHOLE)
        cache_clean_all();
    else if (v == PARTS)
        s->parts[0] = round;
    if (v != NO_DRAIN && v != MARKED_NO_DRAIN && v != L2_LINES && v != L2_WHOLE)
        mpbt_drain(s->drain[0]);
    bell_ring(1);
    bell_wait();
    if (v != PARTS)
        return;
    mpbt_invalidate();
    s->answer[0] = s->parts[1]; /* @parts-load */
}

static void consume(struct shared *s, enum variant v, u32 round)
{
    bell_wait();
    if (v == L2_LINES)
        cache_invalidate(s->data, sizeof(s->data));
    else if (v == L2_WHOLE)
        cache_clean_invalidate_all();
    else if (v != NO_INVALIDATE)
        mpbt_invalidate();
    u32 sum = 0;
    for (u32 i = 0; i < WORDS; i++)
        sum += s->data[i]; /* @data-load */
    if (v == PARTS) {
        s->parts[1] = sum;
        mpbt_drain(s->drain[1]);
    }
    bell_ring(0);
    (void)round;
}

static void produce_polled(struct shared *s, enum variant v, u32 round)
{
    for (u32 i = 0; i < WORDS; i++)
        s->data[i] = round + i; /* @polled-data-store */
    s->flag[0] = round;         /* @flag-store */
    if (v != POLLED_NO_DRAIN)
        mpbt_drain(s->drain[0]);
    do {
        mpbt_invalidate();
        cache_poll_line(s->answer);
        relax();
    } while (s->answer[0] != round);
}

static void consume_polled(struct shared *s, u32 round)
{
    u32 sum = 0;
    do {
        mpbt_invalidate();
        cache_poll_line(s->flag);
        relax();
    } while (s->flag[0] != round); /* @flag-load */
    for (u32 i = 0; i < WORDS; i++)
        sum += s->data[i]; /* @polled-data-load */
    s->answer[0] = round + 0 * sum;
    mpbt_drain(s->drain[1]);
}

#define MARK(n) ".byte 0x82, 0xf8, 16 + " #n "\n\t"

/* Core 0 works 1,000 instructions, then stores. Core 1 has done next to nothing when it loads; it loads twice. */
static void store_late(volatile u32 *word)
{
    asm volatile(".rept 999\n\tnop\n\t.endr\n\tmovl $1, (%0)\n\t" MARK(1)::"r"(word) : "memory", "cc");
}

static void load_early(volatile u32 *word)
{
    asm volatile("1: pause\n\tmovl (%0), %%eax\n\t" MARK(2) "testl %%eax, %%eax\n\tjz 1b\n\t"
                                                            "movl (%0), %%eax\n\t" MARK(3)::"r"(word)
                 : "eax", "memory", "cc");
}

/* Two flags in a word: core 0 stores the second one early and the first one late. Core 1 waits for the second one. */
static void store_bytes(volatile u32 *word)
{
    asm volatile("movb $1, 1(%0)\n\t" MARK(1) ".rept 999\n\tnop\n\t.endr\n\tmovb $1, (%0)\n\t" MARK(4)::"r"(word)
                 : "memory", "cc");
}

static void load_bytes(volatile u32 *word)
{
    asm volatile(
        "1: pause\n\tmovb 1(%0), %%al\n\t" MARK(2) "testb %%al, %%al\n\tjz 1b\n\tmovb (%0), %%al\n\t" MARK(3)::"r"(word)
        : "eax", "memory", "cc");
}

static void run(u32 core, enum variant v, struct shared *s)
{
    if (v == MARKED || v == MARKED_NO_DRAIN)
        mpbt_page(s);
    if (v == CLOCK) {
        if (core)
            load_early(s->clock);
        else
            store_late(s->clock);
        return;
    }
    if (v == CLOCK_BYTES) {
        core ? load_bytes(s->clock) : store_bytes(s->clock);
        return;
    }
    for (u32 round = 1; round <= ROUNDS; round++) {
        if (v == POLLED || v == POLLED_NO_DRAIN)
            core ? consume_polled(s, round) : produce_polled(s, v, round);
        else
            core ? consume(s, v, round) : produce(s, v, round);
    }
}

void main_core(u32 core);
void main_core(u32 core)
{
    if (core == 1)
        bell_ring(0); /* it is up */
    else if (!core)
        bell_wait();
    if (core < 2)
        run(core, (enum variant) * VARIANT, SHARED_MPBT);
    if (*VARIANT < CLOCK) /* rings that nobody has taken coalesce: none more than is waited for */
        return;
    if (core == 1)
        bell_ring(0);
    else if (!core)
        bell_wait();
}
