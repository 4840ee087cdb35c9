/* SPDX-License-Identifier: MIT */
/*
 * body.h - what two cores do with memory that is not coherent: core 0 produces 32 words a round, core 1 adds them up
 * and answers. The right program by a doorbell and by a polled flag, and each with one thing wrong. The word `variant`,
 * set by who starts the board, says which one. The tests look for the lines that have a name in a comment: @name.
 *
 * The board gives bell_ring(core), bell_wait() (until it was rung), relax() (let the other core run).
 */
#include <hal/cache.h>

#define ROUNDS 3
#define WORDS  32
enum variant {
    RIGHT,
    RIGHT_POLLED,
    RIGHT_WHOLE,
    NO_CLEAN,
    NO_INVALIDATE,
    NO_FLAG_CLEAN,
    NO_FLAG_INVALIDATE,
    NO_DATA_CLEAN,
    NO_DATA_INVALIDATE,
    ONE_LINE,
    DISCARD,
    LATE_CLEAN,
    EARLY_BELL,
    FOREIGN,
    NO_WHOLE_CLEAN,
    NO_WHOLE_INVALIDATE,
    RIGHT_DMA,
    DMA_NO_CLEAN,
    DMA_NO_INVALIDATE,
    WORK
};

/* In lines of their own, whatever a line is. */
struct shared {
    volatile u32 data[WORDS];
    volatile u32 flag[16], answer[16];
    volatile u32 both[16]; /* a line that two cores write, in ONE_LINE */
    volatile u32 result[16];
    volatile u32 work[1024];
};

static bool wrong(enum variant v, enum variant this) { return v == this; }

static void produce(struct shared *s, enum variant v, u32 round)
{
    for (u32 i = 0; i < WORDS; i++)
        s->data[i] = round + i; /* @data-store */
    if (wrong(v, ONE_LINE))
        s->both[0] = round; /* @both-store-0 */
    if (wrong(v, DISCARD))
        cache_invalidate_line(s->data); /* @discard */
    if (wrong(v, EARLY_BELL))
        bell_ring(1);
    if (!wrong(v, NO_CLEAN))
        cache_clean(s->data, sizeof(s->data));
    if (!wrong(v, EARLY_BELL))
        bell_ring(1);
    bell_wait();
    if (wrong(v, ONE_LINE))
        cache_clean_line(s->both); /* @both-clean-0 */
}

static void consume(struct shared *s, enum variant v, u32 round, volatile u32 *foreign)
{
    u32 sum = 0;
    bell_wait();
    if (wrong(v, FOREIGN))
        sum += *foreign; /* @foreign */
    if (!wrong(v, NO_INVALIDATE))
        cache_invalidate(s->data, sizeof(s->data));
    for (u32 i = 0; i < WORDS; i++)
        sum += s->data[i]; /* @data-load */
    if (wrong(v, ONE_LINE)) {
        s->both[1] = round;        /* @both-store-1 */
        cache_clean_line(s->both); /* @both-clean-1 */
    }
    s->result[0] = sum;
    bell_ring(0);
}

static void produce_polled(struct shared *s, enum variant v, u32 round)
{
    for (u32 i = 0; i < WORDS; i++)
        s->data[i] = round + i; /* @polled-data-store */
    if (!wrong(v, LATE_CLEAN) && !wrong(v, NO_DATA_CLEAN))
        cache_clean(s->data, sizeof(s->data));
    s->flag[0] = round; /* @flag-store */
    if (!wrong(v, NO_FLAG_CLEAN))
        cache_clean_line(s->flag);
    if (wrong(v, LATE_CLEAN))
        cache_clean(s->data, sizeof(s->data));
    do {
        cache_poll_line(s->answer);
        relax();
    } while (s->answer[0] != round);
}

static void consume_polled(struct shared *s, enum variant v, u32 round)
{
    u32 sum = 0;
    do {
        if (!wrong(v, NO_FLAG_INVALIDATE))
            cache_poll_line(s->flag);
        relax();
    } while (s->flag[0] != round); /* @flag-load */
    if (!wrong(v, NO_DATA_INVALIDATE))
        cache_invalidate(s->data, sizeof(s->data));
    for (u32 i = 0; i < WORDS; i++)
        sum += s->data[i]; /* @polled-data-load */
    s->result[0] = sum;
    s->answer[0] = round;
    cache_clean_line(s->answer);
}

/* Operations on the whole cache: what the first version of a program does. */
static void produce_whole(struct shared *s, enum variant v, u32 round)
{
    for (u32 i = 0; i < WORDS; i++)
        s->data[i] = round + i; /* @whole-store */
    if (!wrong(v, NO_WHOLE_CLEAN))
        cache_clean_all();
    bell_ring(1);
    bell_wait();
}

static void consume_whole(struct shared *s, enum variant v)
{
    bell_wait();
    if (!wrong(v, NO_WHOLE_INVALIDATE))
        cache_clean_invalidate_all();
    for (u32 i = 0; i < WORDS; i++)
        s->result[i % 16] += s->data[i]; /* @whole-load */
    bell_ring(0);
}

/* Core 1 is a DMA engine without a cache: it copies data to work, and core 0 reads that. */
static void use_dma(struct shared *s, enum variant v, u32 round)
{
    for (u32 i = 0; i < WORDS; i++)
        s->data[i] = round + i; /* @dma-store */
    if (!wrong(v, DMA_NO_CLEAN))
        cache_clean(s->data, sizeof(s->data));
    bell_ring(1);
    bell_wait();
    if (!wrong(v, DMA_NO_INVALIDATE))
        cache_invalidate(s->work, sizeof(s->data));
    for (u32 i = 0; i < WORDS; i++)
        s->result[1] += s->work[i]; /* @dma-result-load */
}

static void be_dma(struct shared *s)
{
    bell_wait();
    for (u32 i = 0; i < WORDS; i++)
        s->work[i] = s->data[i]; /* @dma-copy */
    bell_ring(0);
}

/* What the checker costs: 15 of 100 instructions are loads and stores of the memory that is looked at. */
static void work(struct shared *s)
{
    for (u32 i = 0; i < 2000000; i++)
        s->work[i & 1023] = s->work[i * 7 & 1023] + i * 3;
}

static void run(u32 core, enum variant v, struct shared *s, volatile u32 *private)
{
    if (v == WORK && !core)
        work(s);
    for (u32 round = 1; v != WORK && round <= ROUNDS; round++) {
        if (!core)
            *private = round; /* the slice of core 0, which core 1 may not touch */
        if (v == RIGHT_POLLED || (v >= NO_FLAG_CLEAN && v <= NO_DATA_INVALIDATE) || v == LATE_CLEAN)
            core ? consume_polled(s, v, round) : produce_polled(s, v, round);
        else if (v == RIGHT_WHOLE || v == NO_WHOLE_CLEAN || v == NO_WHOLE_INVALIDATE)
            core ? consume_whole(s, v) : produce_whole(s, v, round);
        else if (v >= RIGHT_DMA && v <= DMA_NO_INVALIDATE)
            core ? be_dma(s) : use_dma(s, v, round);
        else
            core ? consume(s, v, round, private) : produce(s, v, round);
    }
}
